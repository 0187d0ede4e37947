import type { QueryClient } from "@tanstack/react-query";

const holds = new WeakMap<QueryClient, Set<symbol>>();

/**
 * While lists are held, a request does not replace what they show: its result may be older than the change that is being
 * saved. Returns the function that ends the hold.
 */
export function holdLists(client: QueryClient): () => void {
  const clientHolds = holds.get(client) ?? new Set();
  const hold = Symbol("hold");
  holds.set(client, clientHolds.add(hold));
  return () => void clientHolds.delete(hold);
}

export const areListsHeld = (client: QueryClient): boolean => (holds.get(client)?.size ?? 0) > 0;
