import type { z } from "zod";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { activeStatuses, postFilterInput } from "./list-post-summaries.ts";

/** A board needs no larger number, and a count should end early in a large studio. */
const maxPostCount = 1000;

/** A search has no count, because it compares the text of every post. */
export const countPostsInput = postFilterInput;

interface PostCount {
  count: number;
  /** Whether there are more posts than `count`. */
  isTruncated: boolean;
}

/** Counts the posts that `listPostSummaries` lists with the same filter. */
export async function countPosts(
  deps: Pick<Deps, "postSummaries">,
  caller: Caller,
  input: z.infer<typeof countPostsInput>,
): Promise<PostCount> {
  authorize(caller, "posts.read");
  const { status: statuses = activeStatuses, author: createdBy, stage } = input;
  const limit = maxPostCount + 1;
  const count = await deps.postSummaries.count(caller.studio.id, { statuses, createdBy, stage, limit });
  return { count: Math.min(count, maxPostCount), isTruncated: count > maxPostCount };
}
