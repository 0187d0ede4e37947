import { AppError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";

/** Imports under way in this process. Each may hold a connection, an open file and two parts of it for minutes. */
export interface ImportSlots {
  /** A place among them; the answer gives it back. Throws `rate_limited` where the person or the studio has its most. */
  take(caller: Pick<Caller, "user" | "studio">): () => void;
}

export const importsAtOnce = { user: 10, studio: 30 } as const;

export function createImportSlots(): ImportSlots {
  const taken = new Map<string, number>();
  const count = (key: string): number => taken.get(key) ?? 0;
  const move = (key: string, by: 1 | -1): void => {
    if (count(key) + by > 0) taken.set(key, count(key) + by);
    else taken.delete(key);
  };
  return {
    take({ user, studio }) {
      if (count(user.id) >= importsAtOnce.user) throw tooMany("user");
      if (count(studio.id) >= importsAtOnce.studio) throw tooMany("studio");
      const keys = [user.id, studio.id];
      for (const key of keys) move(key, 1);
      return () => {
        for (const key of keys.splice(0)) move(key, -1);
      };
    },
  };
}

const tooMany = (owner: keyof typeof importsAtOnce): AppError =>
  new AppError("rate_limited:imports", { owner, limit: importsAtOnce[owner] }, { retryAfter: 10 });
