import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Stores } from "#domain/ports/deps.ts";
import type { StudioClient } from "./studio-client.ts";
import { assertStored, uploadAndAttach, type AcknowledgedAsset } from "./studio-files.ts";
import { waitUntil } from "./wait-until.ts";

/** Uploads, edits and publications that run until `stop` is called, and everything that the service acknowledged. */
export interface FailoverLoad {
  /** When each acknowledged write was acknowledged, in ascending order (`performance.now`). */
  readonly acknowledgedAt: readonly number[];
  /** How many rounds failed because the database or the store was unavailable. */
  readonly unavailableCount: number;
  /** All other failures. */
  readonly unexpectedErrors: readonly string[];
  readonly publications: ReadonlyMap<string, { text: string }>;
  /** Resolves after this many more acknowledged writes. */
  waitForWrites(count: number): Promise<void>;
  stop(): Promise<void>;
  /** Asserts that the acknowledged writes since the last check are stored; with `all`, those of the whole run. */
  checkAcknowledged(stores: Pick<Stores, "revisions">, options?: { all: boolean }): Promise<void>;
}

interface AcknowledgedRevision {
  postId: string;
  revision: number;
  body: string;
}

const editsPerPost = 20;
const pauseMs = 60;

export function startFailoverLoad(studio: StudioClient, base: string, connectionIds: readonly string[]): FailoverLoad {
  const acknowledgedAt: number[] = [];
  const unexpectedErrors: string[] = [];
  const assets = new Map<string, AcknowledgedAsset>();
  const revisions: AcknowledgedRevision[] = [];
  const publications = new Map<string, { text: string }>();
  let unavailableCount = 0;
  let checkedAssets = 0;
  let checkedRevisions = 0;
  const stopController = new AbortController();
  const acknowledge = (): void => void acknowledgedAt.push(performance.now());

  const upload = (round: number) => uploadAndAttach(studio, round % 2 === 0, assets, acknowledge);

  /** Edits a new post several times. After a failure it starts with another post, because the edit may be stored. */
  async function editPost(): Promise<void> {
    const { id: postId, ...post } = await studio.call("create_post", { title: "Edited", body: "" });
    let revision = post.revision as number;
    acknowledge();
    for (let i = 0; i < editsPerPost && !stopController.signal.aborted; i++) {
      const body = `Edit ${i} ${randomBytes(8).toString("hex")}`;
      ({ revision } = await studio.call("update_post", { postId, revision, body }));
      revisions.push({ postId, revision, body });
      acknowledge();
      await sleep(pauseMs);
    }
  }

  async function publish(round: number): Promise<void> {
    const text = `Publication ${round} ${randomBytes(8).toString("hex")}`;
    const post = await studio.call("create_post", { title: "Title", body: text });
    revisions.push({ postId: post.id, revision: post.revision, body: text });
    acknowledge();
    const connectionId = connectionIds[round % connectionIds.length] ?? "";
    const response = await studio.browser.send(`${base}/api/studios/${studio.studioId}/posts/${post.id}/publications`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: base, "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ connectionIds: [connectionId] }),
    });
    const responseText = await response.text();
    if (!response.ok) throw new Error(`publish: ${response.status} ${responseText}`);
    for (const { id } of (JSON.parse(responseText) as { publications: { id: string }[] }).publications)
      publications.set(id, { text });
    acknowledge();
  }

  /** Reads do not count as acknowledged writes, but must not fail with a server error either. */
  async function read(): Promise<void> {
    await studio.call("list_posts", { limit: 5 });
    for (const path of ["/api/me", `/api/studios/${studio.studioId}/post-summaries`, "/"]) {
      const response = await studio.browser.send(`${base}${path}`);
      const responseText = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${responseText}`);
    }
  }

  async function repeat(work: (round: number) => Promise<void>): Promise<void> {
    for (let round = 0; !stopController.signal.aborted; round++) {
      try {
        await work(round);
        await sleep(pauseMs);
      } catch (error) {
        const reason = String(error);
        if (/: 503 |"code":"storage_unavailable"/.test(reason)) unavailableCount++;
        else unexpectedErrors.push(reason);
        await sleep(100);
      }
    }
  }

  const workers = [upload, upload, editPost, editPost, publish, read].map(repeat);

  return {
    acknowledgedAt,
    unexpectedErrors,
    publications,
    get unavailableCount() {
      return unavailableCount;
    },
    async waitForWrites(count) {
      const target = acknowledgedAt.length + count;
      await waitUntil(() => acknowledgedAt.length >= target, {
        timeoutMs: 60_000,
        description: `${count} writes are acknowledged`,
      }).catch((error: unknown) => {
        throw new Error(unexpectedErrors.at(-1) ?? "no unexpected error", { cause: error });
      });
    },
    async stop() {
      stopController.abort();
      await Promise.all(workers);
    },
    async checkAcknowledged(stores, { all } = { all: false }) {
      const [assetEntries, revisionEnd] = [[...assets], revisions.length];
      for (const [assetId, expected] of assetEntries.slice(all ? 0 : checkedAssets))
        await assertStored(studio, assetId, expected);
      for (const { postId, revision, body } of revisions.slice(all ? 0 : checkedRevisions, revisionEnd)) {
        const stored = await stores.revisions.find(postId, revision);
        assert.equal(stored?.body, body, `revision ${revision} of ${postId}`);
      }
      [checkedAssets, checkedRevisions] = [assetEntries.length, revisionEnd];
    },
  };
}
