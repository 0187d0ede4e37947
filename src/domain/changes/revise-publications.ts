import { AppError } from "#lib/errors.ts";
import { retryOnConflict } from "../model/conflict.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { digestContent } from "../model/publication-content.ts";
import { hasPersonOption } from "./person-options.ts";
import { readContent } from "./read-content.ts";
import type { Post } from "../model/post.ts";
import type { Publication } from "../model/publication.ts";
import { unscheduledColumns } from "../model/publish-time.ts";
import { needsPost, revisableStates } from "../model/publication-states.ts";
import { cancelPublications, changePublication } from "./change-publication.ts";
import { updatePublication } from "./writes/publication-rows.ts";
import type { Editor } from "./editor.ts";

/**
 * Stored instead of the approved digest if an approval is lost while the state can't change: the publication needs a
 * new approval before it starts again.
 */
export const unapprovedDigest = "";

/**
 * Runs after an edit, with the post's row locked. If the edit changes what an account receives, the approval stays only
 * if `keepsApproval`, and the editor is not an AI client that changes what goes with an option that only a person may
 * choose. A publication that has started sends the content that it had at its start; its approval matters
 * only if it is scheduled again. If the edit archives or deletes the post, its publications are canceled, or the edit
 * fails with `post_in_use`.
 */
export async function revisePublications(
  deps: Pick<Deps, "newId" | "clock" | "platforms">,
  tx: Tx,
  editor: Editor,
  post: Post,
  keepsApproval: boolean,
): Promise<void> {
  const publications = await tx.publications.listByPost(post.id, revisableStates);
  if (publications.length === 0) return;
  if (post.isTrashed || post.status === "archived") return endPublications(deps, tx, editor, publications);
  const assets = await tx.assets.listByPosts([post.id]);
  for (const listedPublication of publications) {
    const content = await readContent(tx, listedPublication, post, assets);
    const mayKeepApproval =
      keepsApproval && !(editor.client && (await hasPersonOption(deps, tx, listedPublication, content)));
    const change = { digest: digestContent(content), revision: post.revision };
    let currentPublications: readonly Publication[] | undefined = publications;
    await retryOnConflict(async () => {
      // After a conflict: a worker has changed the state since the publication was read.
      currentPublications ??= await tx.publications.listByPost(post.id, revisableStates);
      const publication = currentPublications.find(({ id }) => id === listedPublication.id);
      currentPublications = undefined;
      // Once a part is public, what was approved is sent, however the post is edited.
      if (publication?.publicParts === 0) await revise(deps, tx, editor, publication, change, mayKeepApproval);
    });
  }
}

/** Changes a publication after an edit of the post. `content` identifies the edited content. */
async function revise(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  editor: Editor,
  publication: Publication,
  content: Pick<Publication, "digest" | "revision">,
  mayKeepApproval: boolean,
): Promise<void> {
  const { state, digest: approvedDigest } = publication;
  const { digest, revision } = content;
  // An edit by a user who may publish does not approve earlier changes by other users.
  const keepsApproval = digest === approvedDigest || (mayKeepApproval && approvedDigest !== unapprovedDigest);
  if (state === "scheduled" && !keepsApproval) {
    const voidedDigest = isApprovedByPerson(publication) ? approvedDigest : null;
    const change = { ...unscheduledColumns, ...content, approvedBy: null, voidedDigest };
    await changePublication(deps, tx, editor, publication, {
      event: "voidApproval",
      change,
      action: "publication.returned",
    });
  } else if (state === "proposed") await updatePublication(tx, publication, content);
  else if (!keepsApproval) await updatePublication(tx, publication, { digest: unapprovedDigest });
  else if (state === "scheduled" || state === "missed")
    await updatePublication(tx, publication, { ...content, approvedRevision: revision });
  // The revision of a publication that has started is the one that was sent.
  else await updatePublication(tx, publication, { digest, approvedRevision: revision });
}

/** A person who may publish approves with the request. A client with `studio:publish` publishes without any approval. */
const isApprovedByPerson = ({ approvedBy, requestedClientId }: Publication): boolean =>
  approvedBy !== null || requestedClientId === null;

/** Cancels the publications. Throws `post_in_use` instead if one of them could still become public. */
async function endPublications(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  editor: Editor,
  publications: readonly Publication[],
): Promise<void> {
  if (publications.some(needsPost)) throw new AppError("post_in_use");
  await cancelPublications(deps, tx, editor, publications);
}
