import assert from "node:assert/strict";
import { test } from "node:test";
import { findLayerProblems } from "../../scripts/domain-layers.ts";

const accepted = {
  "policy.ts": [],
  "model/post.ts": ["policy.ts", "model/asset.ts"],
  "model/asset.ts": [],
  "ports/posts.ts": ["model/post.ts"],
  "changes/change-post.ts": ["ports/posts.ts"],
  "steps/describe-post.ts": ["changes/change-post.ts"],
  "posts/get-post.ts": ["steps/describe-post.ts", "posts/list-posts.ts"],
  "posts/list-posts.ts": [],
  "assets/get-asset.ts": [],
  "jobs/worker.ts": ["posts/get-post.ts"],
};

const findProblems = (imports: Record<string, string[]>): string[] =>
  findLayerProblems(new Map(Object.entries({ ...accepted, ...imports })));

test("imports inside the domain point down, areas do not import each other, and no files form a cycle", () => {
  assert.deepEqual(findProblems({}), []);
  const rejected = [
    { "policy.ts": ["model/post.ts"] },
    { "model/asset.ts": ["ports/posts.ts"] },
    { "ports/posts.ts": ["changes/change-post.ts"] },
    { "changes/change-post.ts": ["steps/describe-post.ts"] },
    { "steps/describe-post.ts": ["posts/get-post.ts"] },
    { "posts/list-posts.ts": ["assets/get-asset.ts"] },
    { "posts/list-posts.ts": ["jobs/worker.ts"] },
    { "posts/list-posts.ts": ["posts/get-post.ts"] },
  ];
  for (const imports of rejected) assert.notDeepEqual(findProblems(imports), [], JSON.stringify(imports));
});
