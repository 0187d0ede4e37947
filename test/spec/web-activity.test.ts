import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describeChange, describeChanges } from "../../web/src/activity/describe-change.ts";
import {
  countRepetitions,
  groupActivity,
  listAffectedObjects,
  type ActivityEntry,
  type ActivityObject,
} from "../../web/src/activity/group-activity.ts";

const toEntry = (detail: Record<string, unknown>) => ({ action: "post.updated", detail });
const ready = toEntry({ fields: ["status"], revision: 2, status: "ready" });

describe("the changes in an entry of the activity", () => {
  test("names the new status of a post (ACT-1)", () => {
    assert.deepEqual(describeChange(ready), ["Changed the status to Ready", "revision 2"]);
    const textAndStatus = toEntry({ fields: ["status", "body"], revision: 3, status: "archived" });
    assert.deepEqual(describeChange(textAndStatus), ["Changed the text and status to Archived", "revision 3"]);
    assert.deepEqual(describeChange(toEntry({ fields: ["status"], revision: 4 })), [
      "Changed the status",
      "revision 4",
    ]);
  });

  test("says that the role of an invitation is not the role of its author (ACT-1)", () => {
    const detail = { role: "admin", email: "bo@example.com" };
    assert.deepEqual(describeChange({ action: "invitation.created", detail }), ["Invited as admin", "bo@example.com"]);
    assert.deepEqual(describeChange({ action: "member.joined", detail }), ["Admin"]);
    assert.deepEqual(describeChange({ action: "invitation.revoked", detail: {} }), []);
  });

  test("names the status of several entries only if it is the same (ACT-1)", () => {
    assert.equal(describeChanges([ready, ready]), "Changed the status to Ready");
    assert.equal(describeChanges([ready, toEntry({ fields: ["status"], status: "draft" })]), "Changed the status");
  });
});

const ada = { id: "usr_ada", name: "Ada" };
const bo = { id: "usr_bo", name: "Bo" };
const claude = { id: "client-1", name: "Claude" };
const post = (id: string): ActivityObject => ({ type: "post", id, name: id, state: "current" });
const asset = (id: string): ActivityObject => ({ type: "asset", id, name: id, state: "current" });

/** Creates an entry that is this many minutes old. */
function createEntry(
  minutesAgo: number,
  action: string,
  objects: ActivityObject[],
  actor: Partial<ActivityEntry> = {},
): ActivityEntry {
  return {
    id: `act_${minutesAgo}_${action}_${objects.map(({ id }) => id).join()}`,
    action,
    at: new Date(Date.UTC(2026, 0, 1, 12) - minutesAgo * 60_000).toISOString(),
    user: ada,
    client: null,
    subjectId: objects[0]?.id ?? null,
    objects,
    detail: {},
    ...actor,
  };
}

const summarize = (entries: readonly ActivityEntry[]) =>
  groupActivity(entries).map((group) => [
    group.newest.action,
    countRepetitions(group),
    listAffectedObjects(group).length,
  ]);

describe("grouping activity", () => {
  test("groups files that one actor attached to one post at about the same time", () => {
    const attach = (minutesAgo: number, id: string, postId: string, actor?: Partial<ActivityEntry>) =>
      createEntry(minutesAgo, "asset.attached", [asset(id), post(postId)], actor);
    assert.deepEqual(summarize([attach(0, "a", "p"), attach(4, "b", "p"), attach(8, "c", "p")]), [
      ["asset.attached", 3, 3],
    ]);
    assert.equal(summarize([attach(0, "a", "p"), attach(0, "b", "q")]).length, 2, "another post");
    assert.equal(summarize([attach(0, "a", "p"), attach(6, "b", "p")]).length, 2, "more than five minutes apart");
    assert.equal(summarize([attach(0, "a", "p"), attach(0, "b", "p", { user: bo })]).length, 2, "another user");
    assert.equal(
      summarize([attach(0, "a", "p"), attach(0, "b", "p", { client: claude })]).length,
      2,
      "through a client",
    );
  });

  test("groups alternating actions of one actor by action, and the start of an upload with its end", () => {
    const start = (minutesAgo: number, id: string) =>
      createEntry(minutesAgo, "asset.requested", [asset(id), post("p")]);
    const attach = (minutesAgo: number, id: string) =>
      createEntry(minutesAgo, "asset.attached", [asset(id), post("p")]);
    const entries = [attach(0, "b"), start(1, "b"), attach(2, "a"), start(3, "c"), start(3, "a")];
    assert.deepEqual(summarize(entries), [
      ["asset.attached", 2, 2],
      ["asset.requested", 1, 1],
    ]);
    assert.equal(groupActivity(entries)[0]?.entries.length, 4);
  });

  test("groups changes of one post, but not of different posts", () => {
    const change = (minutesAgo: number, id: string) => createEntry(minutesAgo, "post.updated", [post(id)]);
    assert.deepEqual(summarize([change(0, "p"), change(1, "q"), change(2, "p")]), [
      ["post.updated", 2, 0],
      ["post.updated", 1, 0],
    ]);
    assert.deepEqual(
      summarize([createEntry(0, "post.created", [post("p")]), createEntry(1, "post.created", [post("q")])]),
      [["post.created", 2, 2]],
    );
  });

  test("does not group undos, because each has its own button", () => {
    const undo = (minutesAgo: number) => createEntry(minutesAgo, "client.undone", []);
    assert.equal(summarize([undo(0), undo(1)]).length, 2);
  });
});
