import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limitToasts } from "../../web/src/ui/limit-toasts.ts";

const undo = (text: string) => ({ text, action: {} });
const plain = (text: string) => ({ text });
const timed = (text: string) => ({ ...undo(text), countdown: {} });
const getTexts = (toasts: readonly { text: string; action?: unknown; countdown?: unknown }[], isSmallScreen: boolean) =>
  limitToasts(toasts, isSmallScreen).map(({ text }) => text);

describe("the number of toasts", () => {
  test("a large screen shows the newest three (WEB-7)", () => {
    assert.deepEqual(getTexts([undo("a"), plain("b"), plain("c"), undo("d")], false), ["b", "c", "d"]);
  });

  test("on a small screen, a toast with a button replaces all earlier ones (WEB-7, WEB-12)", () => {
    assert.deepEqual(getTexts([undo("a")], true), ["a"]);
    assert.deepEqual(getTexts([undo("a"), plain("b"), undo("c")], true), ["c"]);
  });

  test("on a small screen, a toast without a button keeps the last one with a button (WEB-7, WEB-12)", () => {
    assert.deepEqual(getTexts([plain("a"), plain("b")], true), ["b"]);
    assert.deepEqual(getTexts([undo("a"), undo("b"), plain("c"), plain("d")], true), ["b", "d"]);
  });

  test("a toast that counts down stays until its time is up (WEB-13)", () => {
    assert.deepEqual(getTexts([timed("a"), undo("b"), timed("c"), plain("d")], true), ["a", "c", "d"]);
    assert.deepEqual(getTexts([timed("a"), plain("b"), plain("c"), plain("d"), undo("e")], false), [
      "a",
      "c",
      "d",
      "e",
    ]);
  });
});
