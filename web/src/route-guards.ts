import { redirect } from "@tanstack/react-router";
import { redirectToSignIn } from "./api/client.ts";
import { meQuery, type Me } from "./api/queries.ts";
import { queryClient } from "./api/query-client.ts";

export async function requireSignedIn(): Promise<Me> {
  return (await queryClient.query(meQuery)) ?? redirectToSignIn();
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
