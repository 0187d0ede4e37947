import assert from "node:assert/strict";
import { test } from "node:test";
import { getPostHistory } from "#domain/history/get-post-history.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import type { Variant } from "#domain/model/variant.ts";
import { listPlatforms } from "#domain/platforms/list-platforms.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { approvePublication } from "#domain/publishing/approve-publications.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { undoClientChanges, undoOwnChanges } from "#domain/undo/undo-changes.ts";
import { hours, minutes, toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient, actThroughDrafter } from "../support/history-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { startPublishing } from "../support/publishing-fixture.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { newStudio } from "../support/users.ts";

type Options = Variant["options"];

forEachEngine("options of posts", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour"], { clock: fixture.clock }));

  /** A studio with a sandbox account, a post, a client that may publish, and one that may not. */
  async function startScenario(body = "Text") {
    const { deps } = publishing.service;
    const owner = await newStudio(deps);
    const connectionId = await newConnection(deps, owner, "harbour", "sandbox");
    const { id: postId } = await createPost(deps, owner, { title: "Title", body });
    const [client, drafter] = [await actThroughClient(deps, owner), await actThroughDrafter(deps, owner)];
    const readPost = async () => getPost(deps, owner, { postId });
    const readOptions = async () =>
      (await readPost()).variants.find((each) => each.connectionId === connectionId)?.options;
    const setOptions = async (caller: typeof owner, options: Options, more: Omit<Variant, "connectionId"> = {}) => {
      fixture.clock.advance(minutes(6)); // a revision of its own
      const variants = [{ connectionId, ...(options && { options }), ...more }];
      return updatePost(deps, caller, { postId, variants, revision: (await readPost()).revision });
    };
    const readState = async () => (await readPost()).publications?.[0]?.state;
    const publish = async (caller: typeof owner, propose = false) => {
      const at = toIsoTime(fixture.clock() + hours(1));
      const { publications } = await publishPost(deps, caller, { postId, connectionIds: [connectionId], propose, at });
      return publications[0]!;
    };
    return {
      deps,
      owner,
      client,
      drafter,
      connectionId,
      postId,
      readPost,
      readOptions,
      readState,
      setOptions,
      publish,
    };
  }

  test("list_platforms returns what each platform offers, only with includeOptions (OPTION-1)", async () => {
    const { deps, owner } = await startScenario();
    const { platforms } = await listPlatforms(deps, owner, { includeOptions: true });
    const sandbox = platforms.find(({ id }) => id === "sandbox");
    assert.deepEqual(
      sandbox?.options?.map(({ name, chosenBy, default: value }) => [name, chosenBy, value]),
      [
        ["visibility", "anyone", "public"],
        ["audience", "person", undefined],
      ],
    );
    const plain = await listPlatforms(deps, owner);
    assert.ok(plain.platforms.every((platform) => !("options" in platform)));
  });

  test("options survive history, undo and restore; unknown ones and values are rejected (OPTION-1)", async () => {
    const { deps, owner, client, postId, readPost, readOptions, setOptions } = await startScenario();
    await setOptions(owner, { visibility: "unlisted", audience: "adults" });
    const { revision, variants } = await readPost();
    await setOptions(client, { visibility: "public" });
    assert.deepEqual(await readOptions(), { audience: "adults", visibility: "public" });
    const { revisions } = await getPostHistory(deps, owner, { postId, limit: 2 });
    assert.deepEqual(
      revisions.map((each) => each.changed),
      [["variants"], ["variants"]],
    );
    await undoOwnChanges(deps, client, { since: toIsoTime(fixture.clock() - hours(1)) });
    assert.deepEqual((await readPost()).variants, variants);
    await setOptions(owner, undefined, { body: "Other" });
    assert.equal(await readOptions(), undefined);
    await restorePost(deps, owner, { postId, revision });
    assert.deepEqual((await readPost()).variants, variants);
    await setOptions(owner, {}, { body: "Text" });
    assert.equal(await readOptions(), undefined, "no options are stored as none");

    for (const options of [{ board: "a" }, { visibility: "secret" }, { visibility: true }, { audience: ["adults"] }])
      assert.equal(await getOutcome(setOptions(owner, options)), "invalid_input", JSON.stringify(options));
  });

  test("an AI client can't choose what only a person may choose, on any path (OPTION-2)", async () => {
    const { deps, owner, client, connectionId, postId, readPost, readOptions, setOptions } = await startScenario();
    assert.equal(await getOutcome(setOptions(client, { audience: "adults" })), "forbidden");
    await setOptions(owner, { audience: "everyone" });
    const { revision: everyoneRevision } = await readPost();
    await setOptions(owner, { audience: "adults" });
    const { revision: adultsRevision } = await readPost();
    assert.equal(await getOutcome(setOptions(client, { audience: "everyone" })), "forbidden");
    await setOptions(client, { audience: "adults", visibility: "unlisted" });
    await setOptions(client, undefined, { body: "Without options" });
    assert.deepEqual(await readOptions(), { audience: "adults" }, "kept when the client omits it");
    await updatePost(deps, client, { postId, variants: [], revision: (await readPost()).revision });
    assert.deepEqual((await readPost()).variants, [{ connectionId, options: { audience: "adults" } }]);
    await restorePost(deps, client, { postId, revision: everyoneRevision });
    assert.deepEqual(await readOptions(), { audience: "adults" }, "a restore keeps it");
    const since = toIsoTime(fixture.clock() - hours(1));
    await undoOwnChanges(deps, client, { since });
    assert.deepEqual(await readOptions(), { audience: "adults" });

    await setOptions(owner, undefined, { body: "The owner chose none" });
    await restorePost(deps, client, { postId, revision: adultsRevision });
    assert.equal(await readOptions(), undefined, "a restore does not choose it");
    await restorePost(deps, owner, { postId, revision: adultsRevision });
    assert.deepEqual(await readOptions(), { audience: "adults" }, "a person can restore it");
    await undoClientChanges(deps, owner, { grantId: client.grantId, since });
    assert.deepEqual(await readOptions(), { audience: "adults" });
  });

  test("a required option can be proposed without, but neither approved nor published (OPTION-2, OPTION-3)", async () => {
    const scenario = await startScenario("A summer of vases. #Ad");
    const { deps, owner, client, drafter, readPost, setOptions, publish } = scenario;
    for (const caller of [owner, client]) assert.equal(await getOutcome(publish(caller)), "not_publishable");
    const { id: publicationId } = await publish(drafter);
    const approve = async () =>
      approvePublication(deps, owner, { publicationId, revision: (await readPost()).revision });
    assert.equal(await getOutcome(approve()), "not_publishable");
    const [validation] = (await readPost()).validation ?? [];
    assert.deepEqual(
      validation?.problems.map(({ level, code }) => [level, code]),
      [["rejected", "person_option_missing"]],
    );
    await setOptions(owner, { audience: "adults" });
    assert.equal((await approve()).state, "scheduled");
  });

  test("an AI client that changes what goes with a person's choice needs a new approval, even with studio:publish (OPTION-4)", async () => {
    const { deps, owner, client, postId, readPost, readState, setOptions, publish } = await startScenario();
    await setOptions(owner, { audience: "adults" });
    const { id: publicationId } = await publish(owner);
    const edit = async (caller: typeof owner, body: string) =>
      updatePost(deps, caller, { postId, body, revision: (await readPost()).revision });
    await edit(owner, "Changed by the owner");
    assert.equal(await readState(), "scheduled");
    await updatePost(deps, client, { postId, tags: ["new"] });
    assert.equal(await readState(), "scheduled", "the account receives the same");
    await edit(client, "Changed by the client");
    assert.equal(await readState(), "proposed");
    await approvePublication(deps, owner, { publicationId, revision: (await readPost()).revision });
    await setOptions(client, { visibility: "unlisted" });
    assert.equal(await readState(), "proposed");

    const other = await startScenario();
    await other.publish(other.client);
    await other.setOptions(other.client, { visibility: "unlisted" });
    assert.equal(await other.readState(), "scheduled", "nothing that only a person may choose");
    await updatePost(deps, other.client, {
      postId: other.postId,
      body: "Now an #ad",
      revision: (await other.readPost()).revision,
    });
    assert.equal(await other.readState(), "proposed", "a person has to choose the audience");
  });

  test("a variant of each account reaches the platform with its options, and the defaults of the others (OPTION-1)", async () => {
    const { service, owner, connectionIds, newPost, requestPublication, waitForState, listSandboxPosts } = publishing;
    const [connectionId = ""] = connectionIds;
    for (const options of [undefined, { audience: "adults", visibility: "unlisted" }]) {
      const postId = await newPost(`Sent with ${JSON.stringify(options)}`);
      if (options) await updatePost(service.deps, owner, { postId, variants: [{ connectionId, options }] });
      const { id } = await requestPublication(postId, [connectionId]);
      await waitForState(id, "published");
    }
    assert.deepEqual(
      (await listSandboxPosts()).map(({ options }) => options),
      [{ visibility: "public" }, { visibility: "unlisted", audience: "adults" }],
    );
  });
});
