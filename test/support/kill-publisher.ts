import assert from "node:assert/strict";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
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
  /**
   * Publishes posts with an image, and with follow-ups if they have several parts. After one of the parts becomes public,
   * kills the service or loses the response. Returns the texts of the posts.
   */
  publishPosts(target: Target, count: number, partCount?: number): Promise<string[]>;
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

  async function publish({ publishing, connectionId }: Target, text: string, partCount: number): Promise<string> {
    const { deps } = publishing.service;
    const { id: postId } = await createPost(deps, publishing.owner, { title: "Title", body: text });
    await addImage(publishing, postId, `Image of ${text}`);
    const followUps = listParts(text, partCount).slice(1);
    if (partCount > 1) await updatePost(deps, publishing.owner, { postId, variants: [{ connectionId, followUps }] });
    const { publications } = await publishPost(deps, publishing.owner, { postId, connectionIds: [connectionId] });
    return publications[0]?.id ?? "";
  }

  return {
    async publishPosts(target, count, partCount = 1) {
      const { proxy, isCommit, publishing } = target;
      const { publications } = publishing.service.deps;
      await service?.kill(); // of an earlier call
      let runningService = await start(target);
      const texts = Array.from({ length: count }, (_, round) => `Round ${round} of ${fixture.engine}`);
      for (const [round, text] of texts.entries()) {
        const isKill = round % 2 === 0;
        let commitCount = 0;
        const lostPart = Math.floor(Math.random() * partCount);
        const isLost = (): boolean => commitCount++ === lostPart;
        proxy.chooseFault = ({ method, url }) => (isCommit(method, url) && isLost() ? "lost" : undefined);
        proxy.onLost = async () => {
          if (isKill) await runningService.kill();
        };
        const publicationId = await publish(target, text, partCount);
        if (isKill) {
          await waitUntil(() => commitCount > lostPart, {
            timeoutMs: minutes(1),
            description: "the service is killed",
          });
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

/** The texts of a post with follow-ups. */
const listParts = (text: string, partCount: number): string[] =>
  Array.from({ length: partCount }, (_, part) => (part === 0 ? text : `${text}, part ${part + 1}`));

/** Asserts that each thread is public once: every part, in order, as a reply to the part before. */
export function assertThreadsOnce(
  posts: readonly { id: string; text: string | null | undefined; parentId: string | null | undefined }[],
  texts: readonly string[],
  partCount: number,
): void {
  assert.equal(posts.length, texts.length * partCount, "no part is lost or appears twice");
  for (const text of texts) {
    let parentId: string | null = null;
    for (const partText of listParts(text, partCount)) {
      const part = posts.find((post) => post.text === partText);
      assert.deepEqual([part?.text, part?.parentId ?? null], [partText, parentId]);
      parentId = part?.id ?? null;
    }
  }
}

/** Asserts that each post is public once, with its image and alt text. */
export function assertPublishedOnce(
  posts: readonly { text: string | null | undefined; altTexts: readonly (string | null | undefined)[] }[],
  texts: readonly string[],
): void {
  assert.deepEqual(posts.map(({ text }) => text).toSorted(), texts.toSorted(), "no post is lost or appears twice");
  for (const { text, altTexts } of posts) assert.deepEqual(altTexts, [`Image of ${text}`]);
}
