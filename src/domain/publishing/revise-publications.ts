import { AppError } from "#lib/errors.ts";
import type { Deps, Stores } from "../deps.ts";
import type { Editor } from "../history/record.ts";
import { mayPublish } from "../policy.ts";
import { buildContent, digestContent } from "./content.ts";
import type { Publication } from "./ports.ts";
import { recordPublication } from "./publication.ts";
import { unscheduled } from "./publish-time.ts";
import { nextState, openStates, type PublicationState } from "./states.ts";

/**
 * After every change of a post, in its transaction. Publications that have not started are for the new revision. If the
 * change affects what an account receives, the approval stays only if the editor may publish. A missed or unconfirmed
 * publication keeps the approved digest, so that it needs a new approval when it is scheduled again. An archived or
 * deleted post has no publications that can still start.
 */
export async function revisePublications(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Stores,
  editor: Editor,
  postId: string,
): Promise<void> {
  const openPublications = await tx.publications.listByPost(postId, [...openStates, "missed"]);
  if (openPublications.length === 0) return;
  const post = await tx.posts.find(editor.studio.id, postId);
  if (!post || post.status === "archived") return endPublications(deps, tx, editor, openPublications);
  const publications = openPublications.filter(({ state }) => state !== "preparing" && state !== "committing");
  const assets = await tx.assets.listByPosts([postId]);
  const isPublisher = await mayEditApproved(tx, editor);
  for (const publication of publications) {
    const digest = digestContent(buildContent(publication, post, assets));
    const keepsApproval = isPublisher || digest === publication.digest;
    const isVoided = !keepsApproval && publication.state === "scheduled";
    if (!keepsApproval && (publication.state === "unconfirmed" || publication.state === "missed")) continue;
    const change = { revision: post.revision, digest };
    const updated = await tx.publications.update(
      publication.id,
      isVoided ? { ...change, ...unscheduled, state: nextState("scheduled", "void"), approvedBy: null } : change,
      { states: [publication.state] },
    );
    // A publication that has started sends what it had then.
    if (updated && isVoided) await recordPublication(deps, tx, editor, "publication.returned", updated);
  }
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
    await recordPublication(deps, tx, editor, "publication.canceled", canceled);
    canceledPublications.push(canceled);
  }
  return canceledPublications;
}
