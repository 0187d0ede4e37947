import type { QueryClient } from "@tanstack/react-query";
import { redirect } from "@tanstack/react-router";
import { isUnreachable } from "./api/api-error.ts";
import { redirectToSignIn } from "./api/client.ts";
import { meQuery, type Me } from "./api/queries.ts";

export interface RouterContext {
  queryClient: QueryClient;
}

export async function requireSignedIn({ queryClient }: RouterContext): Promise<Me> {
  return (await queryClient.query(meQuery)) ?? redirectToSignIn();
}

/** For a page that is already open. While the server can't be reached, the page and what the user typed stay. */
export async function requireSignedInIfReachable(context: RouterContext): Promise<void> {
  try {
    await requireSignedIn(context);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
  }
}

export function redirectToStudio(studioId: string): void {
  redirect({ to: "/studios/$studioId/posts", params: { studioId }, throw: true });
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The user has just created the post that this page shows. */
    isNewPost?: boolean;
    /** The title that the form for a new post starts with. */
    newPostTitle?: string;
  }
}
