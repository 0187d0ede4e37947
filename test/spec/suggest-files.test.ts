import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isSolvedByFewerFiles, suggestFiles } from "../../web/src/publishing/suggest-files.ts";

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
