import { AppError } from "#lib/errors.ts";
import type { Deps, Stores } from "../deps.ts";
import type { Editor } from "../history/record.ts";
import { mayPublish } from "../policy.ts";
import { digestContent, readContent } from "./content.ts";
import type { Publication, PublicationChange } from "./ports.ts";
import { recordPublicationActivity } from "./publication.ts";
import { unscheduled } from "./publish-time.ts";
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

/** The digest of a publication that can't be voided in its state, but needs a new approval before it starts again. */
const unapprovedDigest = "";

/**
 * After an edit, in its transaction and with the post's row locked. If the edit changes what an account receives, the
 * approval stays only if the editor may publish. A publication that has started sends what it had then; its approval
 * matters if it is scheduled again. An archived or deleted post has no publications that can still start.
 */
export async function revisePublications(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Stores,
  editor: Editor,
  postId: string,
): Promise<void> {
  const publications = await tx.publications.listByPost(postId, revisableStates);
  if (publications.length === 0) return;
  const post = await tx.posts.find(editor.studio.id, postId);
  if (!post || post.status === "archived") return endPublications(deps, tx, editor, publications);
  const assets = await tx.assets.listByPosts([postId]);
  const isPublisher = await mayEditApproved(tx, editor);
  for (const listed of publications) {
    const digest = digestContent(await readContent(tx, listed, post, assets));
    let publication: Publication | undefined = listed;
    let updated: Publication | undefined;
    while (publication && !updated) {
      const { state } = publication;
      const change = revise(publication, { digest, revision: post.revision }, isPublisher);
      updated = await tx.publications.update(publication.id, change, { states: [state] });
      if (updated && change.state) await recordPublicationActivity(deps, tx, editor, "publication.returned", updated);
      // A worker changed its state since it was read.
      const current = updated ? [] : await tx.publications.listByPost(postId, revisableStates);
      publication = current.find(({ id }) => id === listed.id);
    }
  }
}

function revise(
  { state, digest: approvedDigest }: Publication,
  content: Pick<Publication, "digest" | "revision">,
  isPublisher: boolean,
): PublicationChange {
  // A publisher's edit does not approve what someone else changed before.
  const keepsApproval = content.digest === approvedDigest || (isPublisher && approvedDigest !== unapprovedDigest);
  if (state === "proposed") return content;
  const approvedContent = { ...content, approvedRevision: content.revision };
  if (state === "scheduled" && !keepsApproval)
    return { ...unscheduled, ...content, state: nextState(state, "void"), approvedBy: null };
  if (!keepsApproval) return { digest: unapprovedDigest };
  if (state === "scheduled" || state === "missed") return approvedContent;
  // The revision of a publication that has started is the one that was sent.
  const { revision: _, ...movedApproval } = approvedContent;
  return movedApproval;
}

/** Uploads through a link are edits by someone who may not publish; their editor has no role. */
async function mayEditApproved(tx: Stores, { studio, role, scopes, client }: Editor): Promise<boolean> {
  if (!role || !scopes) return false;
  const currentStudio = await tx.studios.find(studio.id);
  return currentStudio !== undefined && mayPublish({ role, scopes, client }, currentStudio.approval);
}

/** Throws `post_in_use` if a publication could still become public; cancels the others. */
async function endPublications(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Stores,
  editor: Editor,
  publications: readonly Publication[],
): Promise<void> {
  if (publications.some(isInUse)) throw new AppError("post_in_use");
  await cancelAll(deps, tx, editor, publications);
}

/** Whether the publication keeps its post from being archived or deleted. */
export const isInUse = ({ state }: Publication): boolean => inUseStates.includes(state);

const inUseStates: readonly PublicationState[] = ["scheduled", "preparing", "committing", "unconfirmed"];

/** Cancels publications that have not started. Skips those that started in the meantime. */
export async function cancelAll(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Stores,
  editor: Pick<Editor, "user" | "client">,
  publications: readonly Publication[],
): Promise<Publication[]> {
  const canceledPublications: Publication[] = [];
  for (const { id, state } of publications) {
    const change = { ...unscheduled, state: nextState(state, "cancel") };
    const canceled = await tx.publications.update(id, change, { states: [state] });
    if (!canceled) continue;
    await recordPublicationActivity(deps, tx, editor, "publication.canceled", canceled);
    canceledPublications.push(canceled);
  }
  return canceledPublications;
}
