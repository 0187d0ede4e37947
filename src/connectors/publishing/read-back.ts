import type { LookUpOutcome } from "#domain/ports/publisher.ts";
import { seconds } from "#lib/clock.ts";
import type { ModuleProgress, LookUpContext } from "./publish-module.ts";

export interface RemotePost {
  id: string;
  url: string | null;
}

export interface ReadBackProgress extends ModuleProgress {
  /** Ids of the account's newest posts just before the commit, so none of them is the post that the commit created. */
  earlierPostIds?: string[] | undefined;
}

/** How far a platform's clock may be behind ours. */
export const clockToleranceMs = seconds(60);

/** Leaves out the posts that belong to other publications, and those that are older than the commit. */
export async function excludeOtherPosts(
  { isTaken, progress: { earlierPostIds = [] } }: Pick<LookUpContext<ReadBackProgress>, "isTaken" | "progress">,
  posts: readonly RemotePost[],
): Promise<RemotePost[]> {
  const untakenPosts: RemotePost[] = [];
  for (const post of posts) if (!earlierPostIds.includes(post.id) && !(await isTaken(post.id))) untakenPosts.push(post);
  return untakenPosts;
}

/** A person may have posted the same text by hand. If several posts match, only a user can tell which one is ours. */
export function chooseOnlyMatch([post, ...others]: readonly RemotePost[], appearsWithinMs?: number): LookUpOutcome {
  return post && others.length === 0 ? toPublished(post) : { kind: "not_found", appearsWithinMs };
}

export const toPublished = ({ id, url }: RemotePost): Extract<LookUpOutcome, { kind: "published" }> => ({
  kind: "published",
  remoteId: id,
  url,
});
