import assert from "node:assert/strict";
import { test, describe } from "node:test";
import { getNextAction } from "../../web/src/posts/next-action.ts";
import { countPartlyPublished, findMainState } from "../../web/src/publishing/find-main-state.ts";
import { listKeptEdits } from "../../web/src/publishing/list-kept-edits.ts";
import { isSolvedByFewerFiles, suggestFiles } from "../../web/src/publishing/suggest-files.ts";
import { describeUnreachableMedia } from "../../web/src/platforms/describe-unreachable-media.ts";
import { groupProblems } from "#domain/model/validation/group-problems.ts";
import { findRejection } from "../../web/src/preview/find-rejection.ts";
import { findRenditionSize } from "../../web/src/preview/find-rendition-size.ts";

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

test("counts the accounts of a partly published post, each by its newest publication", () => {
  const count = (...publications: ReturnType<typeof publication>[]) => countPartlyPublished(publications);
  assert.deepEqual(count(publication("published"), publication("proposed", "two")), { count: 1, total: 2 });
  assert.deepEqual(count(publication("published"), publication("failed", "two"), publication("failed")), {
    count: 1,
    total: 2,
  });
  assert.equal(count(publication("published"), publication("canceled", "two")), undefined);
  assert.equal(count(publication("scheduled"), publication("published")), undefined);
  assert.equal(count(), undefined);
});

const createEntry = (action: string, revision: number, outcome: string | null = null) => ({
  id: action,
  action: `publication.${action}`,
  revision,
  outcome,
});

const approved = createEntry("approved", 2);

test("finds edits that kept the approval, and what happened next (PUB-3)", () => {
  const timeline = [createEntry("proposed", 1), approved];
  const edit = { revision: 4, isReviewed: true };
  assert.deepEqual(listKeptEdits({ timeline, state: "scheduled", revision: 2 }), []);
  assert.deepEqual(listKeptEdits({ timeline, state: "scheduled", revision: 4 }), [{ ...edit, nextId: undefined }]);
  assert.deepEqual(
    listKeptEdits({ timeline: [...timeline, createEntry("started", 4)], state: "publishing", revision: 4 }),
    [{ ...edit, nextId: "started" }],
  );
  assert.deepEqual(listKeptEdits({ timeline: [createEntry("scheduled", 1)], state: "scheduled", revision: 2 }), [
    { revision: 2, isReviewed: false, nextId: undefined },
  ]);
});

test("ignores edits that ended the approval, and edits before it (PUB-3)", () => {
  for (const entry of [createEntry("returned", 3), createEntry("rescheduled", 3, "proposed")])
    assert.deepEqual(listKeptEdits({ timeline: [approved, entry], state: "proposed", revision: 5 }), []);
  const renewed = [approved, createEntry("returned", 3), createEntry("approved", 5)];
  assert.deepEqual(listKeptEdits({ timeline: renewed, state: "scheduled", revision: 5 }), []);
});

type Problem = Parameters<typeof isSolvedByFewerFiles>[0];

const createProblem = (code: string, details: Partial<Problem> = {}): Problem => ({
  level: "rejected",
  code,
  ...details,
});
const files = [
  { id: "a", kind: "image" },
  { id: "b", kind: "video" },
  { id: "c", kind: "image" },
  { id: "d", kind: "image" },
] as const;
const suggest = (...problems: Problem[]): string =>
  suggestFiles(files, problems)
    .map(({ id }) => id)
    .join("");

describe("suggested files of an account (PUB-6)", () => {
  test("keeps all files without a problem", () => {
    assert.equal(suggest(), "abcd");
    assert.equal(suggest(createProblem("text_too_long")), "abcd");
  });

  test("keeps the first files of a kind, or of all kinds, up to the platform's limit", () => {
    assert.equal(suggest(createProblem("too_many_pictures", { max: 2 })), "abc");
    assert.equal(suggest(createProblem("too_many_files", { max: 3 })), "abc");
    assert.equal(
      suggest(createProblem("too_many_pictures", { max: 2 }), createProblem("too_many_files", { max: 2 })),
      "ab",
    );
  });

  test("keeps one kind of file if the platform does not mix them", () => {
    assert.equal(suggest(createProblem("mixed_media")), "acd");
    assert.equal(suggest(createProblem("mixed_media"), createProblem("too_many_pictures", { max: 2 })), "ac");
  });

  test("leaves out files that the platform rejects, before it counts them", () => {
    const problems = [createProblem("video_unsupported", { assetId: "b" }), createProblem("bad", { assetIds: ["a"] })];
    assert.equal(suggest(...problems), "cd");
    assert.equal(suggest(...problems, createProblem("too_many_pictures", { max: 2 })), "cd");
    assert.equal(suggest(createProblem("bad", { level: "warning", assetId: "a" })), "abcd");
  });

  test("knows which problems fewer files can solve", () => {
    assert.equal(isSolvedByFewerFiles(createProblem("too_many_videos", { max: 1 })), true);
    assert.equal(isSolvedByFewerFiles(createProblem("mixed_media", { level: "warning" })), true);
    assert.equal(isSolvedByFewerFiles(createProblem("image_unreadable", { assetId: "a" })), true);
    assert.equal(isSolvedByFewerFiles(createProblem("image_unreadable", { level: "converted", assetId: "a" })), false);
    assert.equal(isSolvedByFewerFiles(createProblem("text_too_long")), false);
  });
});

const instagram = { name: "Instagram", unreachableMedia: "all" } as const;
const threads = { name: "Threads", unreachableMedia: "all" } as const;
const facebook = { name: "Facebook", unreachableMedia: "videos" } as const;

test("says once which platforms can't fetch media from this server (PLATFORM-13)", () => {
  const end =
    " from this server, which has no public URL. Posts with such files can’t be published there until the person who runs this server gives it one.";
  assert.equal(describeUnreachableMedia([{ name: "X" }]), undefined);
  assert.equal(describeUnreachableMedia([instagram]), `Instagram fetches images and videos${end}`);
  assert.equal(
    describeUnreachableMedia([facebook, instagram, threads]),
    `Instagram and Threads fetch images and videos, and Facebook fetches videos${end}`,
  );
});

test("the preview shows the rejection of each file, even if several files have the same problem", () => {
  const createProblem = (id: string, level: "rejected" | "converted") => ({
    ...{ level, code: level, one: "is too large", many: "are too large" },
    file: { id, filename: `${id}.jpg` },
  });
  const problems = groupProblems([
    createProblem("a", "rejected"),
    createProblem("b", "rejected"),
    createProblem("c", "converted"),
  ]);
  const find = (id: string) => findRejection(problems, id);
  assert.deepEqual(["a", "b", "c"].map(find), ["a.jpg and b.jpg are too large.", find("a"), undefined]);
});

test("the preview knows the size of a rendition, unless several files are converted to different sizes", () => {
  const convert = (id: string, many: string, width: number) => ({
    ...{ level: "converted" as const, code: "image_converted", one: `${many}, ${width} × 100`, many },
    file: { id, filename: `${id}.jpg` },
    size: { width, height: 100 },
  });
  const problems = groupProblems([
    convert("a", "will be padded", 80),
    convert("b", "will be compressed", 90),
    convert("c", "will be compressed", 90),
    convert("d", "will be converted to JPEG", 110),
    convert("e", "will be converted to JPEG", 120),
  ]);
  const findWidth = (id: string) => findRenditionSize(problems, { id, width: 50, height: 100 })?.width;
  assert.deepEqual(["a", "b", "c", "d", "e", "f"].map(findWidth), [80, 90, 90, undefined, undefined, 50]);
});
