import type { QueryClient } from "@tanstack/react-query";

const holdCounts = new WeakMap<QueryClient, number>();

/**
 * While lists are held, a poll does not replace what they show: its result may be older than the change that is being
 * saved. Returns the function that ends the hold.
 */
export function holdLists(client: QueryClient): () => void {
  holdCounts.set(client, (holdCounts.get(client) ?? 0) + 1);
  return () => holdCounts.set(client, (holdCounts.get(client) ?? 1) - 1);
}

export const areListsHeld = (client: QueryClient): boolean => (holdCounts.get(client) ?? 0) > 0;
