import { AppError } from "#lib/errors.ts";
import type { Caller } from "../../caller.ts";

/** Limits concurrent imports in this process: each can occupy a socket, a file handle and the memory of two parts. */
export interface ImportSlots {
  /** Returns a function that releases the slot. Throws `rate_limited` at the limit of the user or the studio. */
  acquire(caller: Pick<Caller, "user" | "studio">): () => void;
}

export const maxConcurrentImports = { user: 10, studio: 30 } as const;

export function createImportSlots(): ImportSlots {
  const activeImports = new Map<string, number>();
  const countActive = (key: string): number => activeImports.get(key) ?? 0;
  const adjustCount = (key: string, delta: 1 | -1): void => {
    if (countActive(key) + delta > 0) activeImports.set(key, countActive(key) + delta);
    else activeImports.delete(key);
  };
  return {
    acquire({ user, studio }) {
      if (countActive(user.id) >= maxConcurrentImports.user) throw tooManyImportsError("user");
      if (countActive(studio.id) >= maxConcurrentImports.studio) throw tooManyImportsError("studio");
      const keys = [user.id, studio.id];
      for (const key of keys) adjustCount(key, 1);
      return () => {
        // Empties the list, so that a second call changes nothing.
        for (const key of keys.splice(0)) adjustCount(key, -1);
      };
    },
  };
}

const tooManyImportsError = (owner: keyof typeof maxConcurrentImports): AppError =>
  new AppError("rate_limited:imports", { owner, limit: maxConcurrentImports[owner] }, { retryAfter: 10 });
