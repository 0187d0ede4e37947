import { getOwnerKey } from "./work-owner.ts";

/** A queue in which owners take turns, so that an owner with many entries delays the others by one entry at a time. */
export interface FairLine<T> {
  /** Adds an entry for the owner of the current work. Returns a function that removes it. */
  add(entry: T): () => void;
  /** Removes and returns the next entry. */
  take(): T | undefined;
}

export function createFairLine<T>(): FairLine<T> {
  /** In the order of their turns. Each owner has at least one entry. */
  const entriesByOwner = new Map<string, Set<{ entry: T }>>();
  return {
    add(entry) {
      const owner = getOwnerKey();
      const entries = entriesByOwner.get(owner) ?? new Set();
      entriesByOwner.set(owner, entries);
      const item = { entry };
      entries.add(item);
      return () => {
        entries.delete(item);
        if (entries.size === 0 && entriesByOwner.get(owner) === entries) entriesByOwner.delete(owner);
      };
    },
    take() {
      for (const [owner, entries] of entriesByOwner) {
        entriesByOwner.delete(owner);
        const [next] = entries;
        if (!next) continue;
        entries.delete(next);
        if (entries.size > 0) entriesByOwner.set(owner, entries);
        return next.entry;
      }
      return undefined;
    },
  };
}
