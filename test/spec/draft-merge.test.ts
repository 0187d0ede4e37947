import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { mergeDrafts, getUnsavedChanges } from "../../web/src/posts/merge-drafts.ts";

const base = { title: "Title", body: "Body" };

describe("merging a draft with a change saved by another user", () => {
  test("accepts a field that only the other user changed (WEB-6)", () => {
    const merged = mergeDrafts(base, { ...base, title: "Mine" }, { ...base, body: "Theirs" });
    assert.deepEqual(merged, { draft: { title: "Mine", body: "Theirs" }, acceptedFields: ["body"], conflicts: [] });
  });

  test("reports a field that both changed as a conflict, and keeps the draft (WEB-6)", () => {
    const merged = mergeDrafts(base, { title: "Title", body: "Mine" }, { title: "New", body: "Theirs" });
    assert.deepEqual(merged, { draft: { title: "New", body: "Mine" }, acceptedFields: ["title"], conflicts: ["body"] });
  });

  test("the same change on both sides is no conflict (WEB-6)", () => {
    const same = { ...base, body: "Same" };
    assert.deepEqual(mergeDrafts(base, same, same), { draft: same, acceptedFields: [], conflicts: [] });
  });

  test("sends only changed fields, and never an empty title (WEB-6)", () => {
    assert.deepEqual(getUnsavedChanges(base, base), {});
    assert.deepEqual(getUnsavedChanges(base, { title: " ", body: "B" }), { body: "B" });
    assert.deepEqual(getUnsavedChanges(base, { title: "T", body: "B" }), { title: "T", body: "B" });
  });
});
