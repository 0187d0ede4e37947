import type { Deps } from "../deps.ts";
import type { Editor } from "../changes/editor.ts";
import { trashLifetime, type TrashMark } from "./ports.ts";

export function createTrashMark({ clock }: Pick<Deps, "clock">, { user, client }: Editor): TrashMark {
  const now = clock();
  return { at: now, expiresAt: now + trashLifetime, by: user.id, clientName: client?.name ?? null };
}
