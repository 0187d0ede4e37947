import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { listen, openSessionStream, type TestEventStream } from "./event-stream.ts";
import { appsMeta, callLegacy, callModern, initialize } from "./mcp.ts";
import { sha256 } from "./stores.ts";
import type { StudioClient } from "./studio-client.ts";
import { waitUntil } from "./wait-until.ts";

/** Workers that call tools, upload, publish and edit, and subscribers to a post. They run until `stop` is called. */
export interface RestartLoad {
  readonly requestCount: number;
  /** The messages of all errors. */
  readonly errors: readonly string[];
  readonly uploads: readonly { assetId: string; digest: string }[];
  /** The texts of the acknowledged publications, by id. */
  readonly publications: ReadonlyMap<string, string>;
  /** How often each subscriber opened its stream. */
  readonly streamCounts: readonly number[];
  /** Resolves after each worker has finished this many more rounds, or at the first error. */
  waitForRounds(count: number): Promise<void>;
  stop(): Promise<void>;
  /** The longest time from the response to an edit until a subscriber had read that edit, in milliseconds. */
  measureSlowestUpdate(): number;
}

interface Subscriber {
  streamCount: number;
  /** The revisions that the subscriber has read, in ascending order. */
  readings: { revision: number; at: number }[];
  follow: () => Promise<void>;
}

const mebibyte = 1024 * 1024;
const pauseMs = 100;
const uploadPauseMs = 1000;
/** The pause between two edits, much shorter than the time between two restarts. */
const editPauseMs = 150;
/** A scheduled publication is due this long after it is created, so that another process often publishes it. */
const publishDelayMs = 1500;

export async function startRestartLoad(
  studio: StudioClient,
  base: string,
  connectionIds: readonly string[],
): Promise<RestartLoad> {
  const errors: string[] = [];
  const uploads: { assetId: string; digest: string }[] = [];
  const publications = new Map<string, string>();
  const edits: { revision: number; at: number }[] = [];
  /** How many rounds each worker has finished. */
  const roundCounts: number[] = [];
  let requestCount = 0;
  const stop = new AbortController();
  const caller = { url: `${base}/mcp`, token: studio.tokens.access_token };

  async function call(tool: string, input: Record<string, unknown> = {}): Promise<any> {
    const params = { name: tool, arguments: input, _meta: appsMeta };
    const { status, text, json } = await callModern(caller, "tools/call", params);
    requestCount++;
    if (status !== 200 || json.result.isError) throw new Error(`${tool}: ${status} ${text.slice(0, 300)}`);
    return json.result.structuredContent;
  }

  async function callApi(method: string, path: string, body?: unknown): Promise<any> {
    const result = await studio.callApi(method, path, body);
    requestCount++;
    return result;
  }

  async function callToolsAndApi(round: number): Promise<void> {
    const { id: postId } = await call("create_post", { title: `Post ${round}`, body: "" });
    const base64 = Buffer.from(`file ${round} ${randomBytes(8).toString("hex")}`).toString("base64");
    const { assetId } = await call("upload_asset_inline", { kind: "document", mimeType: "text/plain", base64 });
    await call("attach_asset", { postId, assetId });
    await call("list_posts", { limit: 5 });
    await callApi("GET", "/me");
  }

  async function uploadInChat(): Promise<void> {
    // Larger than one part of an upload.
    const content = Buffer.alloc(5 * mebibyte + 100_000, "text\n");
    for (let offset = 0; offset < content.length; offset += mebibyte)
      content.write(randomBytes(32).toString("hex"), offset);
    const { id: postId } = await call("create_post", { title: "In-chat", body: "" });
    const { uploadId } = await call("app_create_upload", { postId });
    const info = { name: "a.txt", size: content.length, lastModified: 1, type: "text/plain" };
    const { file, partBytes } = await call("app_start_file", { uploadId, ...info });
    for (let part = 1; (part - 1) * partBytes < content.length; part++) {
      const bytes = content.subarray((part - 1) * partBytes, part * partBytes);
      await call("app_send_part", { uploadId, fileId: file.id, part, base64: bytes.toString("base64") });
    }
    await call("app_complete_file", { uploadId, fileId: file.id });
    uploads.push({ assetId: file.id, digest: sha256(content) });
    await sleep(uploadPauseMs);
  }

  async function publish(round: number): Promise<void> {
    const text = `Publication ${round} ${randomBytes(8).toString("hex")}`;
    const { id: postId } = await call("create_post", { title: "Title", body: text });
    const { publications: createdPublications } = await callApi(
      "POST",
      `/studios/${studio.studioId}/posts/${postId}/publications`,
      {
        connectionIds: [connectionIds[round % connectionIds.length]],
        ...(round % 2 === 0 ? { at: new Date(Date.now() + publishDelayMs).toISOString() } : {}),
      },
    );
    for (const { id } of createdPublications) publications.set(id, text);
  }

  const followedPost = await call("create_post", { title: "Followed", body: "" });
  const uri = `atelier://posts/${followedPost.id}`;
  let revision = followedPost.revision as number;

  async function editFollowedPost(round: number): Promise<void> {
    ({ revision } = await call("update_post", { postId: followedPost.id, revision, body: `Edit ${round}` }));
    edits.push({ revision, at: performance.now() });
    await sleep(editPauseMs);
  }

  function createSubscriber(open: () => Promise<TestEventStream>): Subscriber {
    const readings: { revision: number; at: number }[] = [];
    const read = async (): Promise<void> => {
      const post = await call("get_post", { postId: followedPost.id });
      readings.push({ revision: post.revision, at: performance.now() });
    };
    const subscriber: Subscriber = {
      streamCount: 0,
      readings,
      async follow() {
        const stream = await open();
        requestCount++;
        if (stream.status !== 200) throw new Error(`stream: ${stream.status} ${JSON.stringify(stream.messages)}`);
        subscriber.streamCount++;
        const streamEnd = new AbortController();
        const stopOrEnd = AbortSignal.any([streamEnd.signal, stop.signal]);
        const ended = stream.ended.finally(() => streamEnd.abort());
        ended.catch(() => {});
        // Changes while no stream is open are not announced, so a client reads the post each time it has connected.
        await read();
        for (let updateCount = 0; !stopOrEnd.aborted; await sleep(10)) {
          if (stream.listUpdates().length === updateCount) continue;
          updateCount = stream.listUpdates().length;
          await read();
        }
        if (!streamEnd.signal.aborted) stream.close();
        await ended;
      },
    };
    return subscriber;
  }

  const { session } = await initialize(caller);
  await callLegacy({ ...caller, session }, "resources/subscribe", { uri });
  const subscribers = [
    createSubscriber(() => listen(caller, { resourceSubscriptions: [uri] })),
    createSubscriber(() => listen(caller, { resourceSubscriptions: [uri] })),
    createSubscriber(() => openSessionStream({ ...caller, session })),
  ];

  async function repeat(work: (round: number) => Promise<void>, onRoundEnd = (_: number): void => {}): Promise<void> {
    for (let round = 0; !stop.signal.aborted; round++) {
      await work(round).catch((error: unknown) => void errors.push(describeError(error)));
      onRoundEnd(round);
      await sleep(pauseMs);
    }
  }

  const workloads = [
    callToolsAndApi,
    callToolsAndApi,
    callToolsAndApi,
    uploadInChat,
    uploadInChat,
    publish,
    publish,
    editFollowedPost,
  ];
  const workers = workloads.map((work, index) => repeat(work, (round) => void (roundCounts[index] = round + 1)));
  const followers = subscribers.map(({ follow }) => repeat(follow));

  return {
    errors,
    uploads,
    publications,
    get requestCount() {
      return requestCount;
    },
    get streamCounts() {
      return subscribers.map(({ streamCount }) => streamCount);
    },
    async waitForRounds(count) {
      const targets = workloads.map((_, index) => (roundCounts[index] ?? 0) + count);
      await waitUntil(
        () => errors.length > 0 || targets.every((target, index) => (roundCounts[index] ?? 0) >= target),
        { timeoutMs: 60_000, description: `${count} rounds of each worker` },
      );
    },
    async stop() {
      // Gives the subscribers time to read the last edit.
      await sleep(1000);
      stop.abort();
      await Promise.all([...workers, ...followers]);
    },
    measureSlowestUpdate() {
      // Ignores the last edits, because the subscribers may have stopped before they could read them.
      const lastReadAt = Math.min(...subscribers.map(({ readings }) => readings.at(-1)?.at ?? 0));
      const delays = subscribers.flatMap(({ readings }) =>
        edits
          .filter(({ at }) => at < lastReadAt - 1000)
          .map((edit) => (readings.find((reading) => reading.revision >= edit.revision)?.at ?? Infinity) - edit.at),
      );
      assert.ok(delays.length > 0);
      return Math.max(...delays);
    },
  };
}

/** The errors of `fetch` have the reason for a failed connection in `cause`. */
const describeError = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : String(error);
