import { AppError } from "#lib/errors.ts";
import type { Deps, Stores, Tx } from "../deps.ts";
import type { Editor } from "../history/record.ts";
import { digestContent, readContent } from "./content.ts";
import type { Publication, PublicationChange } from "./ports.ts";
import { recordPublicationActivity } from "./publication.ts";
import { unscheduledColumns } from "./publish-time.ts";
import { nextState, type PublicationState } from "./states.ts";

/** The states whose publications an edit of the post can affect. */
const revisableStates = [
  "proposed",
  "scheduled",
  "preparing",
  "committing",
  "unconfirmed",
  "missed",
] as const satisfies PublicationState[];

/**
 * Stored instead of the approved digest if an approval is lost while the state can't change: the publication needs a
 * new approval before it starts again.
 */
const unapprovedDigest = "";

/**
 * Runs after an edit, in the edit's transaction, with the post's row locked. If the edit changes what an account
 * receives, the approval stays only if the transaction may publish. A publication that has started sends the content that it
 * had at its start; its approval matters only if it is scheduled again. If the edit archives or deletes the post, its
 * publications are canceled, or the edit fails with `post_in_use`.
 */
export async function revisePublications(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  editor: Editor,
  postId: string,
): Promise<void> {
  const publications = await tx.publications.listByPost(postId, revisableStates);
  if (publications.length === 0) return;
  const post = await tx.posts.find(editor.studio.id, postId);
  if (!post || post.status === "archived") return endPublications(deps, tx, editor, publications);
  const assets = await tx.assets.listByPosts([postId]);
  for (const listedPublication of publications) {
    const digest = digestContent(await readContent(tx, listedPublication, post, assets));
    let publication: Publication | undefined = listedPublication;
    let updatedPublication: Publication | undefined;
    while (publication && !updatedPublication) {
      const { state } = publication;
      const change = decideChange(publication, { digest, revision: post.revision }, tx.mayPublish);
      updatedPublication = await tx.publications.update(publication.id, change, { states: [state] });
      if (updatedPublication && change.state)
        await recordPublicationActivity(deps, tx, editor, "publication.returned", updatedPublication);
      // If nothing was updated, a worker has changed the state since the publication was read.
      const currentPublications = updatedPublication ? [] : await tx.publications.listByPost(postId, revisableStates);
      publication = currentPublications.find(({ id }) => id === listedPublication.id);
    }
  }
}

/** Returns how an edit of the post changes a publication. `content` identifies the edited content. */
function decideChange(
  publication: Publication,
  content: Pick<Publication, "digest" | "revision">,
  canPublish: boolean,
): PublicationChange {
  const { state, digest: approvedDigest } = publication;
  // An edit by a user who may publish does not approve earlier changes by other users.
  const keepsApproval = content.digest === approvedDigest || (canPublish && approvedDigest !== unapprovedDigest);
  if (state === "proposed") return content;
  const approvedContent = { ...content, approvedRevision: content.revision };
  if (state === "scheduled" && !keepsApproval)
    return {
      ...unscheduledColumns,
      ...content,
      state: nextState(state, "voidApproval"),
      approvedBy: null,
      voidedDigest: isApprovedByPerson(publication) ? approvedDigest : null,
    };
  if (!keepsApproval) return { digest: unapprovedDigest };
  if (state === "scheduled" || state === "missed") return approvedContent;
  // The revision of a publication that has started is the one that was sent.
  const { revision: _, ...approvalColumns } = approvedContent;
  return approvalColumns;
}

/** A person who may publish approves with the request. A client with `studio:publish` publishes without any approval. */
const isApprovedByPerson = ({ approvedBy, requestedClientId }: Publication): boolean =>
  approvedBy !== null || requestedClientId === null;

/** Cancels the publications. Throws `post_in_use` instead if one of them could still become public. */
async function endPublications(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Stores,
  editor: Editor,
  publications: readonly Publication[],
): Promise<void> {
  if (publications.some(needsPost)) throw new AppError("post_in_use");
  await cancelPublications(deps, tx, editor, publications);
}

/** Whether the publication keeps its post from being archived or deleted. */
export const needsPost = ({ state }: Publication): boolean => statesThatNeedPost.includes(state);

const statesThatNeedPost: readonly PublicationState[] = ["scheduled", "preparing", "committing", "unconfirmed"];

/** Publications to cancel per transaction: few, so that other writes wait only briefly. */
export const cancelBatchSize = 50;

/** Cancels publications that have not started, except those that start in the meantime. Returns the canceled ones. */
export async function cancelPublications(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Stores,
  editor: Pick<Editor, "user" | "client">,
  publications: readonly Publication[],
): Promise<Publication[]> {
  const canceledPublications: Publication[] = [];
  for (const { id, state } of publications) {
    const change = { ...unscheduledColumns, state: nextState(state, "cancel") };
    const canceledPublication = await tx.publications.update(id, change, { states: [state] });
    if (!canceledPublication) continue;
    await recordPublicationActivity(deps, tx, editor, "publication.canceled", canceledPublication);
    canceledPublications.push(canceledPublication);
  }
  return canceledPublications;
}
