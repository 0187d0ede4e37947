import assert from "node:assert/strict";
import { test } from "node:test";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import type { Caller } from "#domain/caller.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import type { PostView } from "#domain/model/post.ts";
import { cancelFile } from "#domain/uploads/files.ts";
import type { StartedFile } from "#domain/uploads/start-file.ts";
import { sweepUploads } from "#domain/jobs/sweep-files.ts";
import { untilDone } from "../support/batch-options.ts";
import { forOneEngine } from "../support/engines.ts";
import { listen } from "../support/event-stream.ts";
import { addFile, addPost } from "../support/history-fixture.ts";
import { createLinkFixture } from "../support/link-fixture.ts";
import { callModern } from "../support/mcp.ts";
import { getOutcome } from "../support/outcome.ts";
import { fakePlatforms, newConnection } from "../support/platform-fixture.ts";
import { newSubscriber, startOtherServer } from "../support/subscription-fixture.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startForSuite } from "../support/start-for-suite.ts";

const gzip = Buffer.concat([Buffer.from([0x1f, 0x8b, 0x08]), Buffer.alloc(200)]);

forOneEngine("what a subscription to a post announces", (fixture) => {
  const server = startForSuite(() => startOtherServer(fixture, { platforms: fakePlatforms }));

  /** A client that reads the post again only when a change is announced, so a missing announcement leaves an old view. */
  async function follow(owner: Caller, postId: string) {
    const uri = `atelier://posts/${postId}`;
    const client = await newSubscriber(fixture.deps, server, owner);
    const read = async (): Promise<PostView> => {
      const { json } = await callModern(client, "resources/read", { uri });
      const { contents } = json.result as never as { contents: [{ text: string }] };
      return JSON.parse(contents[0].text) as PostView;
    };
    const stream = await listen(client, { resourceSubscriptions: [uri] });
    let readCount = 0;
    let view = await read();
    /** On PostgreSQL, waits for the notification of a change. Without it, the feed would find the change much later. */
    const waitForNotification = async (previousCount: number): Promise<void> => {
      if (fixture.engine === "sqlite") return;
      const sources = [`post:${postId}`, `studio:${owner.studio.id}`];
      const isNotified = () => server.notifications.slice(previousCount).some((text) => sources.includes(text));
      await waitUntil(isNotified, { description: "PostgreSQL notifies the server" });
    };
    return {
      stream,
      /** Makes a change and waits until the client has read its result. */
      async expect<T>(change: () => Promise<unknown>, select: (post: PostView) => T, expected: T): Promise<void> {
        const notificationCount = server.notifications.length;
        await change();
        const isKnown = async (): Promise<boolean> => {
          if (readCount < stream.listUpdates().length) {
            readCount = stream.listUpdates().length;
            view = await read();
          }
          return JSON.stringify(select(view)) === JSON.stringify(expected);
        };
        await waitUntil(isKnown, { description: `the client knows ${JSON.stringify(expected)}` });
        await waitForNotification(notificationCount);
      },
      /** Makes a change and waits until it is announced. */
      async expectUpdate(change: () => Promise<unknown>): Promise<void> {
        const notificationCount = server.notifications.length;
        const updateCount = stream.listUpdates().length;
        await change();
        await stream.waitForUpdates(updateCount + 1);
        await waitForNotification(notificationCount);
      },
    };
  }

  const getFiles = ({ assets }: PostView): string[] => assets.map(({ filename, status }) => `${filename} ${status}`);

  test("announces changes to the name, alt text and tags of a file on the post (CHAT-20)", async () => {
    const { deps } = fixture;
    const owner = await newStudio(deps);
    const { postId, assetIds } = await addPost(deps, owner, { files: 1 });
    const [assetId = ""] = assetIds;
    const follower = await follow(owner, postId);
    const update = (change: object) => () => updateAsset(deps, owner, { assetId, ...change });
    await follower.expect(update({ filename: "menu.pdf" }), ({ assets }) => assets[0]?.filename, "menu.pdf");
    await follower.expect(update({ tags: ["spring"] }), ({ assets }) => assets[0]?.tags, ["spring"]);
    await follower.expect(update({ altText: "A menu" }), ({ assets }) => assets[0]?.altText, "A menu");
    await follower.expect(() => detachAsset(deps, owner, { postId, assetId }), getFiles, []);
    follower.stream.close();
  });

  test("announces uploads that start, are canceled, finish, fail, or lose their link (CHAT-20)", async () => {
    const { deps, owner, postId, ...link } = await createLinkFixture(fixture, undefined);
    const { stream, expect } = await follow(owner, postId);
    const start = async (name: string, content: Buffer, otherFiles: string[] = []): Promise<StartedFile> => {
      const startedFile = Promise.withResolvers<StartedFile>();
      const startFile = async () => startedFile.resolve(await link.start(name, content.length));
      await expect(startFile, getFiles, [...otherFiles, `${name} pending`]);
      return startedFile.promise;
    };
    const canceledFile = await start("unused.png", gzip);
    const cancel = async () => cancelFile(deps, await link.resolveCaller(), { fileId: canceledFile.file.id });
    await expect(cancel, getFiles, []);
    const brokenFile = await start("broken.png", gzip);
    await link.send(brokenFile, gzip, [1]);
    await expect(async () => assert.equal(await getOutcome(link.complete(brokenFile)), "type_mismatch"), getFiles, []);
    const text = Buffer.from("A short list of flowers.");
    const textFile = await start("list.txt", text);
    await link.send(textFile, text, [1]);
    await expect(() => link.complete(textFile), getFiles, ["list.txt ready"]);
    await start("late.png", gzip, ["list.txt ready"]);
    await deps.uploads.withdrawForPost(postId, deps.clock());
    await expect(() => sweepUploads(deps, untilDone), getFiles, ["list.txt ready"]);
    stream.close();
  });

  test("announces changes to the accounts that the post is validated for, and the inspection of its images (CHAT-20)", async () => {
    const { deps } = fixture;
    const owner = await newStudio(deps);
    const { postId } = await addPost(deps, owner);
    const { stream, expect, expectUpdate } = await follow(owner, postId);
    let connectionId = "";
    const getAccounts = ({ validation }: PostView) => validation?.map(({ account }) => account);
    await expect(async () => (connectionId = await newConnection(deps, owner, "harbour")), getAccounts, ["harbour"]);
    await expect(() => disconnectPlatform(deps, owner, { connectionId }), getAccounts, []);
    const assetId = await addFile(deps, owner);
    await expect(() => attachAsset(deps, owner, { postId, assetId }), getFiles, ["file.pdf ready"]);
    await expectUpdate(() => deps.imageInspections.record(assetId, { problem: "unreadable" }));
    stream.close();
  });
});
