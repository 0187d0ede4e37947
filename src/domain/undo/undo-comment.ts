import type { Comment } from "../model/comment.ts";
import { ConflictError, retryOnConflict } from "../model/conflict.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import type { ChangeSelection } from "../ports/history.ts";
import { type Editor, toAuthor } from "../changes/editor.ts";
import { planField } from "./plan-field.ts";
import { addConflict, type UndoReport } from "./report.ts";
import type { UndoDeps } from "./undo-post.ts";

/** Undo deletes comments that the client added, and restores comments that an earlier undo deleted. */
interface CommentPlan {
  kind: "revert" | "conflict";
  comment: Comment;
}

/** Undefined if there is nothing to do or report. A comment that its author deleted has no changes to undo. */
export async function planComment(
  deps: Pick<Deps, "comments">,
  studioId: string,
  commentId: string,
  selection: ChangeSelection,
): Promise<CommentPlan | undefined> {
  const comment = await deps.comments.findWithDeleted(studioId, commentId);
  const steps = await deps.comments.listSteps(commentId, selection);
  const fieldPlan = planField(steps);
  if (!comment || !fieldPlan) return undefined;
  // Every change toggles the state, and a comment that was not added yet is like a deleted one.
  const wasDeleted = !steps[fieldPlan.first]?.isDeleted;
  return wasDeleted === comment.isDeleted ? undefined : { kind: fieldPlan.kind, comment };
}

export function undoComment(
  deps: UndoDeps,
  editor: Editor,
  commentId: string,
  selection: ChangeSelection,
  report: UndoReport,
): Promise<void> {
  return retryOnConflict(async () => {
    const plan = await planComment(deps, editor.studio.id, commentId, selection);
    if (plan?.kind === "revert") await deps.transact(editor, (tx) => toggleComment(deps, tx, editor, plan.comment));
    reportCommentPlan(report, plan);
  });
}

async function toggleComment({ clock }: Pick<Deps, "clock">, tx: Tx, editor: Editor, comment: Comment): Promise<void> {
  const now = clock();
  const isDeleted = !comment.isDeleted;
  // Every change of a post's comments locks the post first.
  await tx.posts.lock(comment.studioId, comment.postId);
  if (!(await tx.comments.setDeleted(comment, isDeleted ? now : null))) throw new ConflictError();
  await tx.comments.recordChange(
    { ...comment, isDeleted, changeCount: comment.changeCount + 1 },
    now,
    toAuthor(editor),
  );
}

/** `plan.comment` is the comment before the undo: if it is deleted, its deletion is undone, otherwise its creation. */
export function reportCommentPlan(report: UndoReport, plan: CommentPlan | undefined): void {
  if (!plan) return;
  const { id, isDeleted } = plan.comment;
  const entry = { type: "comment", id, field: isDeleted ? "removed" : "created" } as const;
  if (plan.kind === "revert") report.undone.push(entry);
  else addConflict(report, { ...entry, clientValue: true, currentValue: true });
}
