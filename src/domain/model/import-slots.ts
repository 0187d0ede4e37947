import { AppError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";

/** Limits concurrent imports in this process. Each can occupy a socket, a file handle and the memory of two parts. */
export interface ImportSlots {
  /** Returns a function that releases the slot. Throws `rate_limited` if the user or the studio has no free slot. */
  acquire(caller: Pick<Caller, "user" | "studio">): () => void;
}

export const maxConcurrentImports = { user: 10, studio: 30 } as const;

export function createImportSlots(): ImportSlots {
  const activeCounts = new Map<string, number>();
  const countActive = (key: string): number => activeCounts.get(key) ?? 0;
  const adjustCount = (key: string, delta: 1 | -1): void => {
    if (countActive(key) + delta > 0) activeCounts.set(key, countActive(key) + delta);
    else activeCounts.delete(key);
  };
  return {
    acquire({ user, studio }) {
      if (countActive(user.id) >= maxConcurrentImports.user) throw tooManyImportsError("user");
      if (countActive(studio.id) >= maxConcurrentImports.studio) throw tooManyImportsError("studio");
      const keys = [user.id, studio.id];
      for (const key of keys) adjustCount(key, 1);
      return () => {
        // `splice` empties the list, so that a second call changes nothing.
        for (const key of keys.splice(0)) adjustCount(key, -1);
      };
    },
  };
}

const tooManyImportsError = (owner: keyof typeof maxConcurrentImports): AppError =>
  new AppError("rate_limited:imports", { owner, limit: maxConcurrentImports[owner] }, { retryAfter: 10 });
