import assert from "node:assert/strict";
import { test } from "node:test";
import { groupProblems } from "#domain/platforms/group-problems.ts";
import { findRejection } from "../../web/src/preview/find-rejection.ts";
import { findRenditionSize } from "../../web/src/preview/find-rendition-size.ts";

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
