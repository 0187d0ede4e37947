import { getGrantId, type Caller } from "../caller.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import type { Author } from "../model/revision.ts";

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

export type ChangeDeps = Pick<Deps, "newId" | "clock" | "limits">;
