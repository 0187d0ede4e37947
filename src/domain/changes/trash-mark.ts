import { trashLifetime, type TrashMark } from "../model/trash.ts";
import type { Deps } from "../ports/deps.ts";
import type { Editor } from "./editor.ts";

export function createTrashMark({ clock }: Pick<Deps, "clock">, { user, client }: Editor): TrashMark {
  const now = clock();
  return { at: now, expiresAt: now + trashLifetime, by: user.id, clientName: client?.name ?? null };
}
