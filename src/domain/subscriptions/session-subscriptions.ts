import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { findSubscribablePosts } from "./find-subscribable-posts.ts";
import type { McpSession, SubscribedPosts } from "../ports/subscriptions.ts";

/** How many posts one stream or session can follow. */
export const maxSubscribedPosts = 100;

/** Makes this the session's only stream with notifications. Returns the posts that the session is subscribed to. */
export async function openSessionStream(
  deps: Pick<Deps, "transact">,
  caller: Caller,
  { session, streamId }: { session: McpSession; streamId: string },
): Promise<SubscribedPosts> {
  authorize(caller, "posts.read");
  return deps.transact(caller, (tx) => tx.subscriptions.openStream(session, streamId));
}

interface SessionInput {
  session: McpSession;
  postId: string;
}

/** Subscribes a session to a post. Returns false, and changes nothing, if it follows too many posts already. */
export async function subscribeSession(
  deps: Pick<Deps, "subscriptions" | "transact">,
  caller: Caller,
  { session, postId }: SessionInput,
): Promise<boolean> {
  authorize(caller, "posts.read");
  // Read before the subscription is visible: a change in between is announced, not missed.
  const version = (await findSubscribablePosts(deps, caller, [postId])).get(postId);
  if (version === undefined) throw notFoundError("post");
  return deps.transact(caller, async (tx) => {
    const posts = new Map(await tx.subscriptions.lockSession(session)).set(postId, version);
    if (posts.size > maxSubscribedPosts) await removeDeletedPosts(tx, caller, posts);
    if (posts.size > maxSubscribedPosts) return false;
    await tx.subscriptions.savePosts(session.idHash, posts);
    return true;
  });
}

/** Runs only at the limit. Until then, deleted posts stay, so that their restore from the trash is announced. */
async function removeDeletedPosts(
  deps: Pick<Deps, "subscriptions">,
  caller: Caller,
  posts: Map<string, string>,
): Promise<void> {
  const existingPosts = await findSubscribablePosts(deps, caller, [...posts.keys()]);
  for (const postId of posts.keys()) if (!existingPosts.has(postId)) posts.delete(postId);
}

/** Ends a session's subscription to a post, if there is one. */
export async function unsubscribeSession(
  deps: Pick<Deps, "transact">,
  caller: Caller,
  { session, postId }: SessionInput,
): Promise<void> {
  authorize(caller, "posts.read");
  await deps.transact(caller, async (tx) => {
    const posts = new Map(await tx.subscriptions.lockSession(session));
    if (posts.delete(postId)) await tx.subscriptions.savePosts(session.idHash, posts);
  });
}
