import { AppError } from "#lib/errors.ts";
import type { Deps, Stores } from "../deps.ts";
import type { Editor } from "../history/record.ts";
import { mayPublish } from "../policy.ts";
import { buildContent, digestContent } from "./content.ts";
import type { Publication } from "./ports.ts";
import { recordPublication } from "./publication.ts";
import { unscheduled } from "./publish-time.ts";
import { nextState } from "./states.ts";

/**
 * After an edit, in its transaction: publications that have not started are for the new revision. If the edit changes
 * what an account receives, the approval stays only if the editor may publish. A missed or unconfirmed publication
 * keeps the approved digest, so that it needs a new approval when it is scheduled again.
 */
export async function revisePublications(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Stores,
  editor: Editor,
  postId: string,
): Promise<void> {
  const publications = await tx.publications.listByPost(postId, ["proposed", "scheduled", "unconfirmed", "missed"]);
  const post = await tx.posts.find(editor.studio.id, postId);
  if (publications.length === 0 || !post) return;
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

/**
 * Before a post is archived or deleted, in its transaction and after its row was locked. Throws `post_in_use` if a
 * publication could still become public; cancels the others.
 */
export async function endPublications(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Stores,
  editor: Editor,
  postId: string,
): Promise<void> {
  const inUse = await tx.publications.listByPost(postId, ["scheduled", "preparing", "committing", "unconfirmed"]);
  if (inUse.length > 0) throw new AppError("post_in_use");
  await cancelAll(deps, tx, editor, await tx.publications.listByPost(postId, ["proposed", "missed"]));
}

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
