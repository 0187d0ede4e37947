import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { mergeDrafts, getUnsavedChanges, joinDraft, type Draft } from "../../web/src/posts/merge-drafts.ts";
import { moveCaret } from "../../web/src/posts/merge-text.ts";

const base: Draft = { title: "Title", body: "One\n\nTwo\n\nThree" };
const withBody = (body: string): Draft => ({ ...base, body });

describe("merging a draft with a change saved by another user", () => {
  test("accepts a field that only the other user changed (WEB-6)", () => {
    const merged = mergeDrafts(base, { ...base, title: "Mine" }, withBody("Theirs"));
    assert.equal(merged.hasConflict, false);
    assert.deepEqual(merged.acceptedFields, ["body"]);
    assert.deepEqual(joinDraft(merged.parts), { title: "Mine", body: "Theirs" });
  });

  test("merges changes to different lines of the text (WEB-6)", () => {
    const merged = mergeDrafts(
      base,
      withBody("One, mine\n\nTwo\n\nThree"),
      withBody("One\n\nTwo\n\nThree, theirs\nFour"),
    );
    assert.equal(merged.hasConflict, false);
    assert.deepEqual(merged.acceptedFields, ["body"]);
    assert.equal(joinDraft(merged.parts).body, "One, mine\n\nTwo\n\nThree, theirs\nFour");
  });

  test("reports only the lines that both changed, and merges the rest (WEB-6)", () => {
    const merged = mergeDrafts(base, withBody("Mine\n\nTwo\n\nThree!"), withBody("Theirs\n\nTwo\n\nThree\n\nFour"));
    assert.equal(merged.hasConflict, true);
    const [first] = merged.parts.body;
    assert.deepEqual(first, { mine: ["Mine"], theirs: ["Theirs"] });
    assert.equal(joinDraft(merged.parts, () => "mine").body.split("\n")[0], "Mine");
    assert.equal(joinDraft(merged.parts, () => "theirs").body, "Theirs\n\nTwo\n\nThree\n\nFour");
  });

  test("applies a separate choice to each conflict (WEB-6)", () => {
    const merged = mergeDrafts(base, withBody("A\n\nTwo\n\nB"), withBody("C\n\nTwo\n\nD"));
    const body = joinDraft(merged.parts, (_, i) => (i === 0 ? "mine" : "theirs")).body;
    assert.equal(body, "A\n\nTwo\n\nD");
  });

  test("a deleted part leaves no empty line (WEB-6)", () => {
    const merged = mergeDrafts(base, withBody("One\n\nTwo, mine\n\nThree"), withBody("One\n\nThree"));
    assert.equal(merged.hasConflict, true);
    assert.equal(joinDraft(merged.parts, () => "theirs").body, "One\n\nThree");
  });

  test("reports the whole title as one conflict (WEB-6)", () => {
    const merged = mergeDrafts(base, { ...base, title: "Title, mine" }, { ...base, title: "The title" });
    assert.deepEqual(merged.parts.title, [{ mine: ["Title, mine"], theirs: ["The title"] }]);
    assert.deepEqual(merged.parts.body, [{ lines: [base.body] }]);
  });

  test("the same change on both sides is not a conflict (WEB-6)", () => {
    const same = withBody("One\n\nSame\n\nThree");
    const merged = mergeDrafts(base, same, same);
    assert.deepEqual([merged.hasConflict, merged.acceptedFields], [false, []]);
    const [mine, theirs] = [withBody("One\n\nSame\n\nThree\nMine"), withBody("One!\n\nSame\n\nThree")];
    assert.equal(joinDraft(mergeDrafts(base, mine, theirs).parts).body, "One!\n\nSame\n\nThree\nMine");
  });

  test("sends only changed fields, and never an empty title (WEB-6)", () => {
    assert.deepEqual(getUnsavedChanges(base, base), {});
    assert.deepEqual(getUnsavedChanges(base, { title: " ", body: "B" }), { body: "B" });
    assert.deepEqual(getUnsavedChanges(base, { title: "T", body: "B" }), { title: "T", body: "B" });
  });
});

describe("the caret during a merge", () => {
  const text = "One\n\nTwo\n\nThree";
  const caret = text.indexOf("o\n\nThree");

  test("stays in its line when lines before and after change (WEB-6)", () => {
    const merged = "Zero\nOne\n\nTwo\n\nThree, theirs";
    assert.equal(moveCaret(text, merged, caret), merged.indexOf("o\n\nThree"));
    assert.equal(moveCaret(text, "Two\n\nThree", caret), 2);
    assert.equal(moveCaret(text, text, caret), caret);
  });

  test("stays within the text when its own line changes (WEB-6)", () => {
    assert.equal(moveCaret(text, "One\n\n2\n\nThree", caret), "One\n\n2".length);
    assert.equal(moveCaret(text, "", caret), 0);
  });
});
