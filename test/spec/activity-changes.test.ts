import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describeChange, describeChanges } from "../../web/src/activity/describe-change.ts";

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
