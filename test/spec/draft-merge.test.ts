import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { merge, unsaved } from "../../web/src/posts/merge.ts";

const base = { title: "Title", body: "Body" };

describe("what is typed and what was saved meanwhile", () => {
  test("[WEB-6] a field that only the other side changed is taken", () => {
    const merged = merge(base, { ...base, title: "Mine" }, { ...base, body: "Theirs" });
    assert.deepEqual(merged, { draft: { title: "Mine", body: "Theirs" }, taken: ["body"], disputed: [] });
  });

  test("[WEB-6] a field that both changed is disputed, and what was typed stays", () => {
    const merged = merge(base, { title: "Title", body: "Mine" }, { title: "New", body: "Theirs" });
    assert.deepEqual(merged, { draft: { title: "New", body: "Mine" }, taken: ["title"], disputed: ["body"] });
  });

  test("[WEB-6] the same change on both sides is no dispute", () => {
    const same = { ...base, body: "Same" };
    assert.deepEqual(merge(base, same, same), { draft: same, taken: [], disputed: [] });
  });

  test("[WEB-6] what has to be sent: what differs, and never an empty title", () => {
    assert.deepEqual(unsaved(base, base), {});
    assert.deepEqual(unsaved(base, { title: " ", body: "B" }), { body: "B" });
    assert.deepEqual(unsaved(base, { title: "T", body: "B" }), { title: "T", body: "B" });
  });
});
