import assert from "node:assert/strict";
import { test } from "node:test";
import { mastodon } from "#connectors/mastodon/connect.ts";
import { createPublisher } from "#connectors/publisher.ts";
import type { LookUpRequest } from "#domain/ports/publisher.ts";

const request: Omit<LookUpRequest, "isTaken"> = {
  accessToken: "the token",
  connection: {
    platform: mastodon.id,
    instance: "https://mastodon.example",
    account: { id: "1", handle: "ada", name: null, avatarUrl: null, profileUrl: null },
  },
  content: { title: null, text: "Hello", assets: [] },
  replyTo: null,
  progress: {},
  commitKey: "key",
  committedAt: 0,
  firstCommittedAt: 0,
  elapsedMs: 0,
};

/** A Mastodon server that answers each call with this body. */
const createTestPublisher = (body: unknown) =>
  createPublisher({
    setups: [{ platform: mastodon, publicFetch: async () => Response.json(body) }],
    createMediaUrl: () => "",
    openFile: async () => [] as never,
    sleep: async () => {},
  });

const listPosts = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => ({ id: `${prefix}${i}` }));

test("stores and compares at most forty posts of an account, however many its server returns (F4)", async () => {
  const outcome = await createTestPublisher(listPosts("old", 9000)).prepare(
    request,
    async () => {},
    new AbortController().signal,
  );
  assert.equal(outcome.kind, "prepared");
  const { progress } = outcome as { progress: { earlierPostIds: string[] } };
  assert.deepEqual(
    progress.earlierPostIds,
    listPosts("old", 40).map(({ id }) => id),
  );

  const comparedIds: string[] = [];
  const isTaken = async (id: string) => comparedIds.push(id) > 0;
  await createTestPublisher(listPosts("new", 9000)).lookUp({ ...request, progress, isTaken });
  assert.equal(comparedIds.length, 40);
});

test("a response with more than 20,000 values is invalid (F4)", async () => {
  const outcome = await createTestPublisher(listPosts("", 15_000)).lookUp({ ...request, isTaken: async () => false });
  assert.deepEqual(outcome, { kind: "unknown", message: "it sent an invalid response" });
});
