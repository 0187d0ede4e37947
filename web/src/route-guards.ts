import type { QueryClient } from "@tanstack/react-query";
import { redirect } from "@tanstack/react-router";
import { redirectToSignIn } from "./api/client.ts";
import { meQuery, type Me } from "./api/queries.ts";

export interface RouterContext {
  queryClient: QueryClient;
}

export async function requireSignedIn({ queryClient }: RouterContext): Promise<Me> {
  return (await queryClient.query(meQuery)) ?? redirectToSignIn();
}

export function redirectToStudio(studioId: string): void {
  redirect({ to: "/studios/$studioId/posts", params: { studioId }, throw: true });
}
