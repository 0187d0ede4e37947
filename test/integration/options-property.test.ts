import assert from "node:assert/strict";
import { test } from "node:test";
import { bluesky } from "#connectors/bluesky/connect.ts";
import { catalog } from "#connectors/catalog.ts";
import { createSandboxSetup } from "#dev/sandbox-setup.ts";
import { getRevision } from "#domain/history/get-post-history.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { approvePublication } from "#domain/publishing/approve-publications.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { restoreFromTrash } from "#domain/trash/trash.ts";
import { undoClientChanges, undoOwnChanges, undoUndo } from "#domain/undo/undo-changes.ts";
import { hours, minutes, toIsoTime } from "#lib/clock.ts";
import type { PostOption, PostOptions } from "#portable/post-options.ts";
import { forEachEngine, type TestDeps } from "../support/engines.ts";
import { fc } from "../support/fuzz.ts";
import { actThroughClient, actThroughDrafter, addPost } from "../support/history-fixture.ts";
import { isLongRun } from "../support/long-run.ts";
import { listOptionValues } from "../support/option-values.ts";
import { getOutcome } from "../support/outcome.ts";
import { fakePlatforms, newConnection } from "../support/platform-fixture.ts";
import { newStudio } from "../support/users.ts";

const sandbox = createSandboxSetup({ origin: "http://localhost", app: { clientId: "a", clientSecret: "b" } }).platform;

/** The options of all platforms. Those whose values depend on the account have two values here. */
const schemas = new Map(
  [...catalog, bluesky, sandbox].flatMap(({ id, options = [] }): [string, PostOption[]][] =>
    options.length === 0 ? [] : [[id, options.map(withValues)]],
  ),
);
const personSchemas = [...schemas].filter(([, schema]) => schema.some(({ chosenBy }) => chosenBy === "person"));

function withValues(option: PostOption): PostOption {
  if (option.kind !== "choice" || !option.isFromAccount) return option;
  const { isFromAccount: _, ...fixed } = option;
  return { ...fixed, values: listOptionValues(option).map((value) => ({ value: String(value), label: "" })) };
}

/** Every option with its n-th example, or its last one. */
const chooseAll = (schema: readonly PostOption[], n: number): PostOptions =>
  Object.fromEntries(
    schema.map((option) => {
      const values = listOptionValues(option);
      return [option.name, values[Math.min(n, values.length - 1)] ?? ""];
    }),
  );

const withoutOption = (options: PostOptions, name: string): PostOptions =>
  Object.fromEntries(Object.entries(options).filter(([key]) => key !== name));

forEachEngine("every option of every platform", (fixture) => {
  /** A studio with an account on a platform whose limits accept everything, and a post. */
  async function startScenario(platformId: string) {
    const schema = schemas.get(platformId) ?? [];
    const somewhere = fakePlatforms.find("somewhere");
    assert.ok(somewhere);
    const limits = { allowsMixedKinds: true, sources: somewhere.limits.sources };
    const info = { ...somewhere, id: platformId, canPublish: true, canReply: true, limits, options: schema };
    const platforms = { ...fakePlatforms, find: () => info, list: () => [info] };
    const deps: TestDeps = { ...fixture.deps, platforms };
    const owner = await newStudio(deps);
    const { postId } = await addPost(deps, owner);
    const connectionId = await newConnection(deps, owner, "account", platformId);
    const readPost = () => getPost(deps, owner, { postId });
    const readOptions = async () => (await readPost()).variants[0]?.options ?? {};
    const setOptions = async (caller: typeof owner, options: PostOptions) => {
      fixture.clock.advance(minutes(6)); // a revision of its own
      const { revision } = await readPost();
      await updatePost(deps, caller, { postId, revision, variants: [{ connectionId, options }] });
      return (await readPost()).revision;
    };
    return { deps, owner, postId, connectionId, schema, readPost, readOptions, setOptions };
  }

  for (const platformId of schemas.keys())
    test(`${platformId}: changing or removing an option voids an approval, unless the editor may publish (OPTION-1, OPTION-2)`, async () => {
      const { deps, owner, postId, connectionId, schema, readPost, setOptions } = await startScenario(platformId);
      const drafter = await actThroughDrafter(deps, owner);
      const approvedOptions = chooseAll(schema, 0);
      await setOptions(owner, approvedOptions);
      const at = toIsoTime(fixture.clock() + hours(100));
      const { publications } = await publishPost(deps, owner, { postId, connectionIds: [connectionId], at });
      const publicationId = publications[0]?.id ?? "";
      const readState = async () => (await readPost()).publications?.[0]?.state;
      for (const option of schema) {
        const { name } = option;
        const otherValues = listOptionValues(option).slice(1);
        const changes = otherValues.map((value): PostOptions => ({ ...approvedOptions, [name]: value }));
        for (const options of [...changes, withoutOption(approvedOptions, name)]) {
          if (option.chosenBy === "person") {
            const isRemoval = options[name] === undefined;
            const outcome = await getOutcome(setOptions(drafter, options));
            assert.equal(outcome, isRemoval ? "ok" : "forbidden", name);
            assert.equal(await readState(), "scheduled", name);
            continue;
          }
          await setOptions(drafter, options);
          assert.equal(await readState(), "proposed", `${name} ${JSON.stringify(options[name])}`);
          if (await isPublishable(options)) {
            await approvePublication(deps, owner, { publicationId, revision: (await readPost()).revision });
            await setOptions(owner, approvedOptions);
          } else {
            await setOptions(owner, approvedOptions);
            await approvePublication(deps, owner, { publicationId, revision: (await readPost()).revision });
          }
          assert.equal(await readState(), "scheduled", name);
        }
      }

      async function isPublishable(options: PostOptions): Promise<boolean> {
        return schema.every(({ name, requiredIf }) => requiredIf === undefined || options[name] !== undefined);
      }
    });

  for (const platformId of schemas.keys())
    test(`${platformId}: options survive history, restore, undo, the trash and a copy (OPTION-1)`, async () => {
      const { deps, owner, postId, connectionId, schema, readOptions, setOptions } = await startScenario(platformId);
      const client = await actThroughClient(deps, owner);
      const [first, second] = [chooseAll(schema, 0), chooseAll(schema, 1)];
      const revision = await setOptions(owner, first);
      const isForAnyone = (name: string) =>
        schema.some((option) => option.name === name && option.chosenBy === "anyone");
      const clientOptions = Object.fromEntries(
        Object.entries(first).map(([name, value]) => [name, isForAnyone(name) ? second[name]! : value]),
      );
      await setOptions(client, clientOptions);
      assert.deepEqual(await readOptions(), clientOptions);
      await undoOwnChanges(deps, client, { since: toIsoTime(fixture.clock() - minutes(5)) });
      assert.deepEqual(await readOptions(), first, "undone");
      await setOptions(owner, second);
      await deletePost(deps, owner, { postId });
      await restoreFromTrash(deps, owner, { id: postId });
      assert.deepEqual(await readOptions(), second, "restored from the trash");
      const stored = await getRevision(deps, owner, { postId, revision: String(revision) });
      assert.deepEqual(stored.variants[0]?.options, first, "in the history");
      await restorePost(deps, owner, { postId, revision });
      assert.deepEqual(await readOptions(), first, "restored");
      const { postId: copyId } = await addPost(deps, owner);
      await updatePost(deps, owner, { postId: copyId, variants: [{ connectionId, options: first }] });
      assert.deepEqual((await getPost(deps, owner, { postId: copyId })).variants[0]?.options, first, "copied");
    });

  test("no sequence of edits, restores and undos by an AI client changes an option of a person (OPTION-2)", async () => {
    assert.ok(personSchemas.length > 0);
    const actions = fc.array(fc.record({ kind: fc.nat(7), pick: fc.nat(20), byOwner: fc.boolean() }), {
      minLength: 4,
      maxLength: 12,
    });
    for (const [platformId, schema] of personSchemas) {
      const personNames = schema.filter(({ chosenBy }) => chosenBy === "person").map(({ name }) => name);
      const selectPersonOptions = (options: PostOptions) =>
        Object.fromEntries(Object.entries(options).filter(([name]) => personNames.includes(name)));
      await fc.assert(
        fc.asyncProperty(actions, async (steps) => {
          const { deps, owner, postId, connectionId, readPost, readOptions, setOptions } =
            await startScenario(platformId);
          const client = await actThroughClient(deps, owner);
          const undoIds: string[] = [];
          for (const { kind, pick, byOwner } of steps) {
            const before = selectPersonOptions(await readOptions());
            const { revision } = await readPost();
            const caller = byOwner ? owner : client;
            const since = toIsoTime(fixture.clock() - minutes(20));
            const run = async (): Promise<unknown> => {
              switch (kind) {
                case 0:
                case 1:
                  return setOptions(caller, chooseAll(schema, pick % 3));
                case 2:
                  return setOptions(caller, selectSome(chooseAll(schema, pick % 3), pick));
                case 3:
                  return updatePost(deps, caller, { postId, revision, variants: [] });
                case 4:
                  return updatePost(deps, caller, {
                    postId,
                    revision,
                    variants: [{ connectionId, body: "Text", followUps: ["More"] }],
                  });
                case 5:
                  return restorePost(deps, caller, { postId, revision: 1 + (pick % revision) });
                case 6: {
                  if (!byOwner) return undoOwnChanges(deps, client, { since });
                  const { undoId } = await undoClientChanges(deps, owner, { grantId: client.grantId, since });
                  return undoId && undoIds.push(undoId);
                }
                default:
                  return undoIds.length > 0 && undoUndo(deps, owner, { undoId: undoIds.at(-1) ?? "" });
              }
            };
            const outcome = await getOutcome(run());
            assert.ok(["ok", "forbidden", "not_found"].includes(outcome), outcome);
            const isByClient = !byOwner && kind < 7;
            if (isByClient) assert.deepEqual(selectPersonOptions(await readOptions()), before, JSON.stringify(kind));
          }
        }),
        { numRuns: isLongRun ? 300 : 10 },
      );
    }
  });
});

/** A part of the options, which `pick` decides. */
const selectSome = (options: PostOptions, pick: number): PostOptions =>
  Object.fromEntries(Object.entries(options).filter((_, i) => ((pick >> i) & 1) === 1));
