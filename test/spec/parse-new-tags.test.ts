import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { tags as tagsSchema } from "#domain/tags.ts";
import { parseNewTags } from "../../web/src/tags/parse-new-tags.ts";

describe("tags that a user types", () => {
  test("are split at commas, trimmed, in lower case, and added once (POST-5)", () => {
    assert.deepEqual(parseNewTags(["harbour"], " Summer, HARBOUR,,summer , new York "), {
      addedTags: ["summer", "new york"],
      rejectedTexts: [],
      error: "",
    });
  });

  test("are rejected with a reason if the server would reject them, and the other ones are added (POST-5)", () => {
    for (const invalidTag of ["x".repeat(41), "\u200b", "a\u0007b"]) {
      assert.equal(tagsSchema.safeParse([invalidTag]).success, false);
      const { addedTags, rejectedTexts, error } = parseNewTags([], `${invalidTag}, sea`);
      assert.deepEqual({ addedTags, rejectedTexts }, { addedTags: ["sea"], rejectedTexts: [invalidTag] });
      assert.notEqual(error, "");
    }
  });

  test("have up to forty characters, however many UTF-16 units a character takes (POST-5)", () => {
    for (const character of ["x", "ß", "語", "🌷"]) {
      const [longestTag, longTag] = [character.repeat(40), character.repeat(41)];
      assert.deepEqual(parseNewTags([], longestTag).addedTags, [longestTag]);
      assert.deepEqual(tagsSchema.safeParse([longestTag]).data, [longestTag]);
      assert.deepEqual(parseNewTags([], longTag).rejectedTexts, [longTag]);
      assert.equal(tagsSchema.safeParse([longTag]).success, false);
    }
  });

  test("are at most twenty (POST-5)", () => {
    const existingTags = Array.from({ length: 19 }, (_, i) => `tag ${i}`);
    const { addedTags, rejectedTexts, error } = parseNewTags(existingTags, "a, b");
    assert.deepEqual({ addedTags, rejectedTexts }, { addedTags: ["a"], rejectedTexts: ["b"] });
    assert.match(error, /At most 20 tags/);
    assert.equal(tagsSchema.safeParse([...existingTags, "a"]).success, true);
    assert.equal(tagsSchema.safeParse([...existingTags, "a", "b"]).success, false);
  });
});
