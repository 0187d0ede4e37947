import { isId } from "#lib/ids.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import type { SubscribedPosts } from "../ports/subscriptions.ts";

/** Returns the current versions of those posts that are in the caller's studio and not in the trash. */
export async function findSubscribablePosts(
  deps: Pick<Deps, "subscriptions">,
  caller: Caller,
  postIds: readonly string[],
): Promise<SubscribedPosts> {
  authorize(caller, "posts.read");
  const validIds = postIds.filter((postId) => isId("post", postId));
  if (validIds.length === 0) return new Map();
  const versions = await deps.subscriptions.findVersions(validIds);
  return new Map(
    [...versions]
      .filter(([, { studioId, isTrashed }]) => studioId === caller.studio.id && !isTrashed)
      .map(([postId, { version }]) => [postId, version]),
  );
}
