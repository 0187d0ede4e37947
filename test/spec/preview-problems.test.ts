import assert from "node:assert/strict";
import { test } from "node:test";
import { groupProblems } from "#domain/platforms/group-problems.ts";
import { findRejection } from "../../web/src/preview/find-rejection.ts";

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
