import { minutes } from "#lib/clock.ts";
import { getGrantId, type Caller } from "../caller.ts";
import { ConflictError } from "../conflict.ts";
import type { Deps, Stores, Tx } from "../deps.ts";
import { revisePublications } from "../publishing/revise-publications.ts";
import type { Author, RecordOptions } from "./ports.ts";

/** Autosaves of one user within this time become one revision. */
export const autosaveWindow = minutes(5);

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

/** Records the post's new revision and updates its publications, in the transaction of the change. */
export async function recordRevision(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  editor: Editor,
  postId: string,
  options?: RecordOptions,
): Promise<void> {
  const hasRevisablePublications = await tx.revisions.record(postId, toAuthor(editor), options);
  if (hasRevisablePublications) await revisePublications(deps, tx, editor, postId);
}

/**
 * Increments the post's revision before its assets change and locks the post, so that no other change is made before
 * `recordRevision` has recorded this one. Throws `ConflictError` if the post is missing. Call `recordRevision` with
 * `haveAssetsChanged: true` afterwards.
 */
export async function startAssetsRevision(
  deps: Pick<Deps, "clock">,
  tx: Pick<Stores, "posts">,
  studioId: string,
  postId: string,
): Promise<number> {
  const revision = await tx.posts.incrementRevisionForAssets(studioId, postId, deps.clock());
  if (revision === undefined) throw new ConflictError();
  return revision;
}
