import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import type { McpSession, SubscribedPosts } from "./ports.ts";

/** Makes this the session's only stream with notifications. Returns the posts that the session is subscribed to. */
export async function openSessionStream(
  deps: Pick<Deps, "transact">,
  caller: Caller,
  { session, streamId }: { session: McpSession; streamId: string },
): Promise<SubscribedPosts> {
  authorize(caller, "posts.read");
  return deps.transact((tx) => tx.subscriptions.openStream(session, streamId));
}
