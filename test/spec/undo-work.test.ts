import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import type { Asset } from "#domain/model/asset.ts";
import type { Post } from "#domain/model/post.ts";
import type { Publication } from "#domain/model/publication.ts";
import type { AssetFieldChange, RevisionStep } from "#domain/model/revision.ts";
import { selectApprovable } from "#domain/steps/approve-again.ts";
import { planPost } from "#domain/undo/plan-post.ts";
import { type ApprovalDeps, predictApprovals } from "#domain/undo/reverted-approvals.ts";
import { createReport } from "#domain/undo/report.ts";

const studioId = "std_1";
const postId = "pst_1";
const selection = { userId: "usr_1", clientId: "cli_1", since: 0 };
const caller = { studio: { id: studioId }, user: { id: "usr_1" } } as Caller;
const baseIds = ["ast_first", "ast_middle", "ast_last"];

/** A person attached each file to the post, and the client detached it. */
function createSteps(fileIds: readonly string[]): RevisionStep[] {
  const lists = fileIds.flatMap((id) => [baseIds.toSpliced(2, 0, id), baseIds]);
  return [baseIds, ...lists].map((assetIds, i) => ({
    revision: i + 1,
    isSelected: i > 0 && i % 2 === 0,
    changed: ["assets"],
    assetIds,
  }));
}

const post = { id: postId, studioId, title: "", body: "", status: "draft", variants: [], tags: [], crops: [] };

/** A publication whose approval the client's change voided. */
const createPublication = (i: number) =>
  ({ id: `pub_${i}`, postId, approvedRevision: 1, voidedDigest: "d", scheduledFor: null }) as Publication;

/** Stores whose promises resolve without a turn of the event loop. */
function createStores(steps: readonly RevisionStep[], voidedPublications: readonly Publication[] = []): ApprovalDeps {
  const move: AssetFieldChange = { field: "postId", before: postId, after: null };
  const stores = {
    clock: () => 1,
    posts: { findWithTrash: async () => ({ ...post, isTrashed: false, revision: steps.length }) as unknown as Post },
    revisions: { listSteps: async () => [...steps], find: async () => undefined },
    assets: {
      findWithTrash: async (_: string, id: string) =>
        ({
          id,
          postId: baseIds.includes(id) ? postId : null,
          status: "ready",
          trashExpiresAt: null,
          tags: [],
        }) as unknown as Asset,
    },
    assetChanges: {
      listSteps: async (id: string) => (baseIds.includes(id) ? [] : [{ ...move, isSelected: true }]),
    },
    publications: {
      getTime: async () => 1,
      listByIds: async () => [],
      listByPost: async () => voidedPublications,
      listVoided: async () => voidedPublications.slice(0, 1),
    },
    reviews: { isHeld: async () => false },
    memberships: { findEnabled: async () => ({ role: "owner", approval: "clients" }) },
  };
  return stores as unknown as ApprovalDeps;
}

/** Counts the elements of the arrays that `work` searches for a value, in total and in one turn of the event loop. */
async function countSearched(work: () => Promise<unknown>): Promise<{ total: number; inTurn: number }> {
  let [total, turnStart, inTurn] = [0, 0, 0];
  const { includes, indexOf } = Array.prototype;
  const count = <Result>(search: (...args: [unknown]) => Result) =>
    function (this: unknown[], ...args: [unknown]): Result {
      total += this.length;
      inTurn = Math.max(inTurn, total - turnStart);
      return Reflect.apply(search, this, args);
    };
  const startTurn = (): void => {
    turnStart = total;
    immediate = setImmediate(startTurn);
  };
  let immediate = setImmediate(startTurn);
  Object.assign(Array.prototype, { includes: count(includes), indexOf: count(indexOf) });
  try {
    await work();
  } finally {
    Object.assign(Array.prototype, { includes, indexOf });
    clearImmediate(immediate);
  }
  return { total, inTurn };
}

test("the plan of a post from which thousands of files were detached compares few ids per turn of the event loop (F4)", async () => {
  const fileIds = Array.from({ length: 1200 }, (_, i) => `ast_${i}`);
  const steps = createSteps(fileIds);
  let readCount = 0;
  const countedSteps = steps.map(({ assetIds, ...step }) => ({
    ...step,
    get assetIds() {
      readCount++;
      return assetIds;
    },
  }));
  const stores = createStores(countedSteps);
  const { inTurn } = await countSearched(async () => {
    const plan = await planPost(stores, studioId, postId, selection);
    assert.deepEqual(plan?.assets.attachIds, fileIds);
    assert.deepEqual(plan.assets.assetIds, ["ast_first", "ast_middle", ...fileIds, "ast_last"]);
  });
  assert.ok(readCount <= 5 * steps.length, `the lists of ${steps.length} steps were read ${readCount} times`);
  assert.ok(inTurn <= 40_000, `${inTurn} ids were compared in one turn of the event loop`);
});

test("a dry run compares each publication with few changes and few publications that the undo cancels (F4)", async () => {
  const canceledIds = Array.from({ length: 5000 }, (_, i) => `pub_canceled_${i}`);
  const publications = Array.from({ length: 500 }, (_, i) => ({
    ...createPublication(i),
    approvedRevision: 2 * i + 2,
  }));
  let readCount = 0;
  const steps = createSteps(publications.map(({ id }) => id)).map(({ isSelected, revision }) => ({
    isSelected,
    changed: [],
    assetIds: baseIds,
    get revision() {
      readCount++;
      return revision;
    },
  }));
  const stores = createStores(steps, publications);
  const waitingIds: string[] = [];
  stores.publications.listByIds = async (_, ids) => {
    waitingIds.push(...ids);
    return [];
  };
  const report = { ...createReport(), publications: canceledIds.map((id) => ({ id, state: "canceled" })) };
  const { total } = await countSearched(() => predictApprovals(stores, caller, selection, [postId], report));
  assert.deepEqual(
    waitingIds,
    publications.map(({ id }) => id),
  );
  assert.ok(total <= 20 * steps.length, `${total} ids were compared`);
  assert.ok(readCount <= 10 * steps.length, `${steps.length} revisions were read ${readCount} times`);
});

test("a dry run digests few long texts per turn of the event loop (F4)", async () => {
  let [digestCount, turnStart, inTurn] = [0, 0, 0];
  const publications = Array.from({ length: 100 }, (_, i) => ({
    ...createPublication(i),
    scheduledFor: 2,
    get includesTitle() {
      inTurn = Math.max(inTurn, ++digestCount - turnStart);
      return false;
    },
  }));
  const startTurn = (): void => {
    turnStart = digestCount;
    immediate = setImmediate(startTurn);
  };
  let immediate = setImmediate(startTurn);
  const content = { post: { ...post, body: "a".repeat(100_000) } as unknown as Post, assets: [] };
  await selectApprovable(createStores([]), caller, publications, content).finally(() => clearImmediate(immediate));
  assert.equal(digestCount, publications.length);
  assert.ok(inTurn <= 20, `${inTurn} texts were digested in one turn of the event loop`);
});
