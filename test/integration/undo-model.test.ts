import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { undoClientChanges, undoOwnChanges, undoUndo } from "#domain/undo/undo-changes.ts";
import { toIsoTime } from "#lib/clock.ts";
import { forEachEngine, type Fixture } from "../support/engines.ts";
import { fc } from "../support/fuzz.ts";
import { actThroughClient, addFile, addPost, type ClientCaller } from "../support/history-fixture.ts";
import { isLongRun } from "../support/long-run.ts";
import { createUndoModel, type Actor, type Report, type Selection, type State } from "../support/undo-model.ts";
import { performEdit, readConsistentStudio, type Edit } from "../support/undo-studio.ts";
import { newMember, newStudio } from "../support/users.ts";

const sequenceCount = isLongRun ? 5000 : 20;

const [post, asset] = [fc.nat(3), fc.nat(4)];
const value = fc.constantFrom("A", "B", "C");
const anyOf = <T extends string>(...kinds: T[]) => fc.constantFrom(...kinds);
const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: anyOf("title", "body"), post, value }) },
  { weight: 2, arbitrary: fc.record({ kind: anyOf("status"), post, value: anyOf("draft", "ready", "archived") }) },
  { weight: 5, arbitrary: fc.record({ kind: anyOf("attach"), post, asset }) },
  { weight: 5, arbitrary: fc.record({ kind: anyOf("detach"), asset }) },
  { weight: 2, arbitrary: fc.record({ kind: anyOf("reorder"), post }) },
  { weight: 2, arbitrary: fc.record({ kind: anyOf("crop"), post, asset, x: fc.constantFrom(0, 1, null) }) },
  { weight: 2, arbitrary: fc.record({ kind: anyOf("alt text"), asset, value: anyOf("", "X", "Y") }) },
  { weight: 2, arbitrary: fc.record({ kind: anyOf("delete post", "restore post"), post }) },
  { weight: 2, arbitrary: fc.record({ kind: anyOf("delete asset", "restore asset"), asset }) },
  { weight: 2, arbitrary: fc.record({ kind: anyOf("restore revision"), post, revision: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.record({ kind: anyOf("create"), value }) },
  { weight: 1, arbitrary: fc.record({ kind: anyOf("upload") }) },
  { weight: 3, arbitrary: fc.record({ kind: anyOf("comment"), post }) },
  { weight: 3, arbitrary: fc.record({ kind: anyOf("reply", "delete comment"), comment: fc.nat(5) }) },
);
/** Actor 0 is the owner, without an AI client; actors 1 and 2 are AI clients. */
const anyStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: anyOf("edit"),
      actor: fc.constantFrom(0, 1, 1, 2),
      edit: anyEdit,
      pause: fc.constantFrom(0, 1, 200_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: anyOf("undo"),
      client: anyOf("first", "second"),
      isByOwner: fc.boolean(),
      /** Undo the changes since this many steps ago. */
      stepsBack: fc.nat(20),
      /** How many times to undo the undo immediately. */
      repeats: fc.nat(2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: anyOf("undo undo"), index: fc.nat(5) }) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;
const anyPlan = fc.record({
  /** Whether the second AI client acts for another user. */
  hasTwoUsers: fc.boolean(),
  steps: fc.array(anyStep, { minLength: 5, maxLength: 30, size: "max" }),
});

interface Plan {
  hasTwoUsers: boolean;
  steps: Step[];
}

const edit = (actor: 0 | 1 | 2, performed: Edit): Step => ({ kind: "edit", actor, edit: performed, pause: 0 });
const undoFirst: Step = { kind: "undo", client: "first", isByOwner: false, stepsBack: 0, repeats: 2 };

/** Found by a long run: the undo of the undo must change the alt text before the post is in the trash again. */
const altTextThenTrash: Plan = {
  hasTwoUsers: false,
  steps: [
    edit(1, { kind: "alt text", asset: 0, value: "X" }),
    edit(1, { kind: "delete post", post: 0 }),
    edit(0, { kind: "title", post: 0, value: "A" }),
    edit(0, { kind: "title", post: 0, value: "A" }),
    edit(0, { kind: "delete asset", asset: 0 }),
    { ...undoFirst, repeats: 1 },
    edit(0, { kind: "title", post: 0, value: "A" }),
  ],
};

/** The owner restores what the client deleted, and deletes it again. */
const trashedAgain: Plan = {
  hasTwoUsers: false,
  steps: [
    edit(1, { kind: "title", post: 0, value: "B" }),
    edit(0, { kind: "title", post: 0, value: "C" }),
    edit(1, { kind: "delete post", post: 0 }),
    edit(1, { kind: "delete asset", asset: 4 }),
    edit(0, { kind: "restore post", post: 0 }),
    edit(0, { kind: "restore asset", asset: 4 }),
    edit(0, { kind: "delete post", post: 0 }),
    edit(0, { kind: "delete asset", asset: 4 }),
    undoFirst,
  ],
};

/** The client restores an asset and attaches it to a post, which the owner then deletes. */
const restoredIntoTrash: Plan = {
  hasTwoUsers: false,
  steps: [
    edit(0, { kind: "delete asset", asset: 4 }),
    edit(1, { kind: "restore asset", asset: 4 }),
    edit(1, { kind: "attach", post: 2, asset: 4 }),
    edit(0, { kind: "delete post", post: 2 }),
    undoFirst,
  ],
};

/** `revision: 3` selects the fourth revision of the first post, the one before the crop. */
const restoredWithoutCrop: Plan = {
  hasTwoUsers: false,
  steps: [
    edit(0, { kind: "crop", post: 0, asset: 1, x: 0 }),
    edit(1, { kind: "restore revision", post: 0, revision: 3 }),
    undoFirst,
    edit(0, { kind: "crop", post: 0, asset: 0, x: 1 }),
    undoFirst,
  ],
};

/** The owner deletes and restores what the client restored. */
const restoredAgain: Plan = {
  hasTwoUsers: false,
  steps: [
    edit(0, { kind: "delete post", post: 0 }),
    edit(1, { kind: "restore post", post: 0 }),
    edit(0, { kind: "delete post", post: 0 }),
    undoFirst,
    edit(0, { kind: "restore post", post: 0 }),
    undoFirst,
  ],
};

/** The client exchanges the assets of two posts, moves another to its own post, and the owner edits that. */
const movedAssets: Plan = {
  hasTwoUsers: false,
  steps: [
    edit(1, { kind: "create", value: "B" }),
    ...[0, 1, 3].map((asset) => edit(1, { kind: "detach", asset })),
    edit(1, { kind: "attach", post: 1, asset: 0 }),
    edit(1, { kind: "attach", post: 3, asset: 1 }),
    edit(1, { kind: "attach", post: 0, asset: 3 }),
    { ...undoFirst, stepsBack: 6 },
    edit(0, { kind: "title", post: 3, value: "C" }),
    undoFirst,
  ],
};

forEachEngine("undo compared with a model", (fixture) => {
  test(`${sequenceCount} random sequences: undo keeps later changes of others, undoing an undo restores the state before it, and no asset, comment or revision is lost (UNDO-1, UNDO-2, UNDO-3, UNDO-4, UNDO-8, HIST-1)`, async (t) => {
    const counts = { undos: 0, fields: 0, conflicts: 0 };
    const plans = [altTextThenTrash, trashedAgain, restoredIntoTrash, restoredWithoutCrop, restoredAgain, movedAssets];
    const examples = plans.map((plan): [Plan] => [plan]);
    await fc.assert(
      fc.asyncProperty(anyPlan, async ({ hasTwoUsers, steps }) => {
        const studio = await createStudio(fixture, hasTwoUsers, counts);
        for (const step of steps) await studio.run(step);
        await studio.checkClientRevisions();
      }),
      { numRuns: sequenceCount, examples },
    );
    t.diagnostic(`${counts.undos} undos, ${counts.fields} fields undone, ${counts.conflicts} conflicts`);
  });
});

type Client = ClientCaller;

async function createStudio(
  { deps, database, clock }: Fixture,
  hasTwoUsers: boolean,
  counts: { undos: number; fields: number; conflicts: number },
) {
  const owner = await newStudio(deps);
  const otherUser = hasTwoUsers ? await newMember(deps, owner, "member") : owner;
  const clients: Record<"first" | "second", Client> = {
    first: await actThroughClient(deps, owner, "Claude"),
    second: await actThroughClient(deps, otherUser, hasTwoUsers ? "Claude" : "Cursor"),
  };
  for (const files of [3, 1, 0]) await addPost(deps, owner, { title: "A", body: "A", files });
  await addFile(deps, owner);
  clock.advance(1000);
  const model = createUndoModel();
  let state = await readConsistentStudio(database, owner.studio.id);
  const times: number[] = [clock()];
  const undoIds: string[] = [];
  /** Revisions by AI clients, with the content that the post had then. */
  const clientRevisions: { postId: string; revision: number; title: string; body: string; assetIds: string[] }[] = [];

  /** Reads the studio after an operation and adds the changes to the model. */
  async function observe(caller: Caller, undoId: string | null = null): Promise<void> {
    const after = await readConsistentStudio(database, owner.studio.id);
    const actor: Actor = { userId: caller.user.id, clientId: caller.client?.id ?? null, undoId };
    model.observe(state, after, actor, clock());
    if (caller.client) recordRevisions(state, after);
    state = after;
  }

  function recordRevisions(before: State, after: State): void {
    for (const [postId, revision] of Object.entries(after.revisions)) {
      const currentPost = after.posts[postId];
      if (!currentPost || revision === before.revisions[postId]) continue;
      const { title, body, assets } = currentPost;
      clientRevisions.push({ postId, revision, title, body, assetIds: [...assets] });
    }
  }

  async function findNewestUndo(): Promise<string | null> {
    const query = database.q.selectFrom("activity").select("id").where("studioId", "=", owner.studio.id);
    const [row] = await query.where("action", "=", "client.undone").orderBy("id", "desc").limit(1).execute();
    return row && !undoIds.includes(row.id) ? row.id : null;
  }

  /** Runs an undo, and asserts that the model finds no mistake and that the dry run reported the same. */
  async function undo(caller: Caller, selection: Selection, run: (dryRun: boolean) => Promise<Report>) {
    const dryRun = await run(true);
    const before = state;
    const result = await run(false);
    const after = await readConsistentStudio(database, owner.studio.id);
    assert.deepEqual(model.findMistakes(before, after, selection, result), []);
    const undoId = await findNewestUndo();
    if (undoId !== null) undoIds.push(undoId);
    await observe(caller, undoId);
    const listKeys = (entries: Report["undone"]) => entries.map(({ id, field }) => `${id} ${field}`).toSorted();
    assert.deepEqual(
      listKeys(dryRun.undone),
      listKeys(result.undone),
      "the dry run reports the fields that undo reverts",
    );
    assert.deepEqual(listKeys(dryRun.conflicts), listKeys(result.conflicts), "the dry run reports the conflicts");
    counts.undos++;
    counts.fields += result.undone.length;
    counts.conflicts += result.conflicts.length;
    return { before, after, undoId };
  }

  const revertUndo = (undoId: string) => undo(owner, { undoId }, (dryRun) => undoUndo(deps, owner, { undoId, dryRun }));

  return {
    async run(step: Step): Promise<void> {
      if (step.kind === "edit") {
        clock.advance(step.pause);
        times.push(clock());
        const caller = [owner, clients.first, clients.second][step.actor] ?? owner;
        await performEdit({ deps, database }, caller, step.edit, state);
        await observe(caller);
      } else if (step.kind === "undo") {
        const client = clients[step.client];
        const since = times.at(-1 - (step.stepsBack % times.length)) ?? clock();
        const input = { since: toIsoTime(since), grantId: client.grantId };
        const selection = { userId: client.user.id, clientId: client.client.id, since };
        const undoResult = await undo(step.isByOwner ? owner : client, selection, (dryRun) =>
          step.isByOwner
            ? undoClientChanges(deps, owner, { ...input, dryRun })
            : undoOwnChanges(deps, client, { since: input.since, dryRun }),
        );
        let { before, undoId } = undoResult;
        for (let i = 0; i < step.repeats && undoId !== null; i++) {
          const repeatedUndo = await revertUndo(undoId);
          assert.deepEqual(
            getContent(repeatedUndo.after),
            getContent(before),
            "undoing an undo restores the state before it",
          );
          ({ before, undoId } = repeatedUndo);
        }
      } else {
        const undoId = undoIds.at(step.index % Math.max(undoIds.length, 1));
        if (undoId !== undefined) await revertUndo(undoId);
      }
    },

    async checkClientRevisions(): Promise<void> {
      for (const { postId, revision, ...expected } of clientRevisions) {
        const storedRevision = await deps.revisions.find(postId, revision);
        const actual = storedRevision && {
          title: storedRevision.title,
          body: storedRevision.body,
          assetIds: storedRevision.assets.map((entry) => entry.id),
        };
        assert.deepEqual(actual, expected, `${postId} revision ${revision}`);
      }
    },
  };
}

const getContent = ({ posts, assets, comments }: State) => ({ posts, assets, comments });
