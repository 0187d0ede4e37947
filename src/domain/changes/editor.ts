import { type Caller, getGrantId } from "../caller.ts";
import type { Author } from "../model/revision.ts";
import { trashLifetime, type TrashMark } from "../model/trash.ts";
import type { Deps, Tx } from "../ports/deps.ts";

/** The caller of a change. `undoId` is set while undoing. */
export type Editor = Caller & { undoId?: string };

export function toAuthor({ user, client, credential, undoId }: Editor): Author {
  return {
    userId: user.id,
    grantId: getGrantId({ credential }),
    clientId: client?.id ?? null,
    clientName: client?.name ?? null,
    undoId: undoId ?? null,
  };
}

/** A change in progress. */
export interface Change {
  deps: ChangeDeps;
  tx: Tx;
  editor: Editor;
}

export type ChangeDeps = Pick<Deps, "newId" | "clock" | "limits" | "platforms">;

export function createTrashMark({ clock }: Pick<Deps, "clock">, { user, client }: Editor): TrashMark {
  const now = clock();
  return { at: now, expiresAt: now + trashLifetime, by: user.id, clientName: client?.name ?? null };
}
