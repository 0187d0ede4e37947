import assert from "node:assert/strict";
import { test } from "node:test";
import { getNextAction } from "../../web/src/posts/next-action.ts";
import { findMainState } from "../../web/src/publishing/find-main-state.ts";

const publication = (state: string, connectionId = "one", requestedThrough: string | null = "Claude") => ({
  id: `pub ${state}`,
  state,
  connectionId,
  requestedBy: { id: "ada" },
  requestedThrough,
  problem: null as { code: string } | null,
});
const post = (status: "draft" | "ready" | "archived", publications: ReturnType<typeof publication>[] = []) => ({
  status,
  publications,
});
const account = (canPublish = true) => ({ connectionId: "one", canPublish });
const owner = { userId: "ada", isPublisher: true, may: (): boolean => true };
const member = {
  userId: "ben",
  isPublisher: false,
  may: (action: string): boolean => action !== "publications.approve" && action !== "platforms.connect",
};

test("the next action follows the status of the post", () => {
  assert.deepEqual(getNextAction(post("draft"), [account()], owner), { kind: "markReady" });
  assert.deepEqual(getNextAction(post("ready"), [account()], owner), { kind: "publish", label: "Publish…" });
  assert.deepEqual(getNextAction(post("archived"), [account()], owner), { kind: "restore" });
  assert.deepEqual(getNextAction(post("ready"), [], owner), { kind: "connect" });
  assert.equal(getNextAction(post("ready"), undefined, owner), undefined, "while the accounts load");
  assert.equal(getNextAction(post("draft"), [account()], { ...owner, may: () => false }), undefined);
});

test("a member asks for approval if the studio requires it, and can't approve (WEB-2)", () => {
  assert.deepEqual(getNextAction(post("ready"), [account()], member), { kind: "publish", label: "Ask for approval…" });
  assert.equal(getNextAction(post("ready"), [], member), undefined);
});

test("a publication that waits for a person comes before everything else", () => {
  const proposals = [publication("proposed"), publication("proposed", "two")];
  assert.deepEqual(getNextAction(post("draft", proposals.slice(1)), [account()], owner), {
    kind: "review",
    label: "Approve…",
    publicationId: "pub proposed",
  });
  assert.deepEqual(getNextAction(post("draft", proposals), [account()], owner), {
    kind: "review",
    label: "Approve…",
    publicationId: undefined,
  });
  assert.deepEqual(getNextAction(post("ready", [...proposals, publication("unconfirmed")]), [account()], owner), {
    kind: "review",
    label: "Resolve…",
    publicationId: "pub unconfirmed",
  });
});

test("a user whose request was sent back asks again (PUB-3)", () => {
  const sentBack = { ...publication("canceled", "one", null), problem: { code: "sent_back" } };
  assert.deepEqual(getNextAction(post("draft", [sentBack]), [account()], owner), {
    kind: "askAgain",
    label: "Ask again…",
    connectionIds: ["one"],
  });
  const requestOfOther = { ...sentBack, requestedBy: { id: "cleo" } };
  assert.deepEqual(getNextAction(post("draft", [requestOfOther]), [account()], owner), { kind: "markReady" });
  assert.deepEqual(
    getNextAction(post("draft", [publication("canceled", "one", null), sentBack]), [account()], owner),
    { kind: "markReady" },
    "a newer publication replaces it",
  );
});

test("users are not asked to approve what they requested themselves", () => {
  const request = post("draft", [publication("proposed", "one", null)]);
  assert.equal(getNextAction(request, [account(false)], owner), undefined);
  const action = getNextAction(request, [account(false)], { ...owner, userId: "ben" });
  assert.deepEqual(action, { kind: "review", label: "Approve…", publicationId: "pub proposed" });
});

test("users are asked to approve their own publication after someone else's change ended its approval (PUB-4)", () => {
  const changed = { ...publication("proposed", "one", null), hasLostApproval: true as const };
  const action = getNextAction(post("draft", [changed]), [account(false)], owner);
  assert.deepEqual(action, { kind: "review", label: "Approve…", publicationId: "pub proposed" });
});

test("there is no next action once the post is published or scheduled for every account", () => {
  assert.equal(getNextAction(post("ready", [publication("published")]), [account()], owner), undefined);
  assert.equal(getNextAction(post("ready"), [account(false)], owner), undefined);
});

test("does not suggest marking a draft ready once it waits for approval, is scheduled or published", () => {
  assert.equal(getNextAction(post("draft", [publication("proposed")]), [account(false)], member), undefined);
  for (const state of ["scheduled", "publishing"])
    assert.equal(getNextAction(post("draft", [publication(state)]), [account(false)], owner), undefined);
  const published = post("draft", [publication("published")]);
  assert.equal(getNextAction(published, [account()], owner), undefined);
  assert.deepEqual(getNextAction(published, [account(), { ...account(), connectionId: "two" }], owner), {
    kind: "publish",
    label: "Publish…",
  });
  assert.deepEqual(getNextAction(post("draft", [publication("canceled")]), [account()], owner), { kind: "markReady" });
});

test("the main state is the most urgent state among the newest publications of the accounts", () => {
  const findState = (...publications: ReturnType<typeof publication>[]) => findMainState(publications);
  assert.equal(findState(), undefined);
  assert.equal(findState(publication("scheduled"), publication("failed")), "scheduled", "the newest one counts");
  assert.equal(findState(publication("published"), publication("failed", "two")), "failed");
  assert.equal(findState(publication("canceled")), undefined);
  assert.equal(findState(publication("canceled"), publication("published")), "published");
});
