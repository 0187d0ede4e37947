import assert from "node:assert/strict";
import { createPost } from "#domain/posts/create-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { minutes, seconds } from "#lib/clock.ts";
import type { Fixture } from "./engines.ts";
import type { FaultyProxy } from "./faulty-proxy.ts";
import { startHelper, type HelperProcess } from "./helper-process.ts";
import type { HookedFiles } from "./hooked-files.ts";
import { addImage, type PublishingFixture } from "./publishing-fixture.ts";
import { waitUntil } from "./wait-until.ts";

interface Target {
  publishing: PublishingFixture;
  connectionId: string;
  proxy: FaultyProxy;
  /** Whether the request makes a post public. */
  isCommit: (method: string | undefined, url: string | undefined) => boolean;
  privateHosts: readonly string[];
  plcUrl?: string;
}

/** A service in its own process that publishes, starting again after `kill`. */
export interface KilledPublisher {
  /** Publishes posts with an image. After each becomes public, kills the service or loses the response. Returns the texts. */
  publishPosts(target: Target, count: number): Promise<string[]>;
  kill(): Promise<void>;
}

export function createKilledPublisher(fixture: Fixture): KilledPublisher {
  let service: HelperProcess | undefined;

  async function start({ publishing, privateHosts, plcUrl }: Target): Promise<HelperProcess> {
    service = startHelper("publish.ts", {
      ...fixture.location,
      base: publishing.service.base,
      filesFolder: (publishing.service.deps.files as HookedFiles).root,
      timeoutCount: 0,
      leaseMs: seconds(2),
      privateHosts,
      plcUrl,
    });
    await service.begin();
    return service;
  }

  async function publish({ publishing, connectionId }: Target, text: string): Promise<string> {
    const { deps } = publishing.service;
    const { id: postId } = await createPost(deps, publishing.owner, { title: "Title", body: text });
    await addImage(publishing, postId, `Image of ${text}`);
    const { publications } = await publishPost(deps, publishing.owner, { postId, connectionIds: [connectionId] });
    return publications[0]?.id ?? "";
  }

  return {
    async publishPosts(target, count) {
      const { proxy, isCommit, publishing } = target;
      const { publications } = publishing.service.deps;
      let runningService = await start(target);
      const texts = Array.from({ length: count }, (_, round) => `Round ${round} of ${fixture.engine}`);
      for (const [round, text] of texts.entries()) {
        const isKill = round % 2 === 0;
        let commitCount = 0;
        proxy.chooseFault = ({ method, url }) => (isCommit(method, url) && commitCount++ === 0 ? "lost" : undefined);
        proxy.onLost = async () => {
          if (isKill) await runningService.kill();
        };
        const publicationId = await publish(target, text);
        if (isKill) {
          await waitUntil(() => commitCount > 0, { timeoutMs: minutes(1), description: "the service is killed" });
          await runningService.exited;
          runningService = await start(target);
        }
        const isPublished = async (): Promise<boolean> =>
          (await publications.find(publishing.owner.studio.id, publicationId))?.state === "published";
        await waitUntil(isPublished, { timeoutMs: minutes(2), intervalMs: 100, description: "it is published" });
      }
      return texts;
    },
    kill: async () => service?.kill(),
  };
}

/** Asserts that each post is public once, with its image and alt text. */
export function assertPublishedOnce(
  posts: readonly { text: string | null | undefined; altTexts: readonly (string | null | undefined)[] }[],
  texts: readonly string[],
): void {
  assert.deepEqual(posts.map(({ text }) => text).toSorted(), texts.toSorted(), "no post is lost or appears twice");
  for (const { text, altTexts } of posts) assert.deepEqual(altTexts, [`Image of ${text}`]);
}
