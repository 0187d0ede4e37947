import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { ApiError, describeError } from "../api/api-error.ts";
import { inBatch } from "../api/change.ts";
import { addComment, sendBackPublication } from "../api/mutations.ts";
import { publicationQuery, type Publication } from "../api/publication-queries.ts";
import { maxCommentLength } from "../comments/CommentForm.tsx";
import { useCommentDraft } from "../comments/use-comment-draft.ts";
import { useStudio } from "../layout/use-studio.ts";
import { TextAreaField } from "../ui/Field.tsx";
import { Notice } from "../ui/Notice.tsx";
import { formatActor } from "../ui/format-actor.ts";
import { FormDialog } from "../ui/FormDialog.tsx";
import { isComposing } from "../ui/is-composing.ts";
import { useToast } from "../ui/Toasts.tsx";

export interface ReviewedProposal {
  publication: Publication;
  postTitle: string;
}

/** Keeps the dialog outside of the proposal, which disappears from the page when someone else decides about it. */
export function useAskForChanges(): {
  askForChanges: (proposal: ReviewedProposal) => void;
  changesDialog: ReactNode;
} {
  const [proposal, setProposal] = useState<ReviewedProposal>();
  return {
    askForChanges: setProposal,
    changesDialog: proposal && <AskForChangesDialog {...proposal} onClose={() => setProposal(undefined)} />,
  };
}

/**
 * Sends a proposal back: comments on its post, and cancels the request to publish it. Only comments if someone else has
 * decided about the request in the meantime.
 */
function AskForChangesDialog({
  publication: { id, postId, requestedBy, requestedThrough },
  postTitle,
  onClose,
}: ReviewedProposal & { onClose: () => void }) {
  const { studio } = useStudio();
  const navigate = useNavigate();
  const showToast = useToast();
  const [draft, setDraft] = useCommentDraft(`changes ${id}`);
  // Set when the comment was added, so that a retry only cancels the request and does not comment twice.
  const [addedComment, setAddedComment] = useState<string>();
  const isSending = useRef(false);
  const text = addedComment ?? draft;
  const isEmpty = text.trim() === "";
  const { data: currentPublication } = useQuery(publicationQuery(studio.id, id));
  const decision = currentPublication && getDecision(currentPublication);

  async function addCommentOnce(): Promise<void> {
    if (addedComment !== undefined) return;
    await addComment({ studioId: studio.id, postId }, { body: draft.trim() });
    setAddedComment(draft);
    setDraft("");
  }

  async function sendBack(): Promise<void> {
    if (isSending.current) return;
    isSending.current = true;
    await inBatch(async () => {
      await addCommentOnce();
      if (decision === undefined)
        await sendBackPublication({ studioId: studio.id, publicationId: id }).catch((failure: unknown) => {
          throw explainPartialFailure(failure);
        });
      onClose();
      const requester = formatActor(requestedBy, requestedThrough === null ? null : { name: requestedThrough });
      showToast({
        text: decision === undefined ? `Sent back to ${requester}.` : "Comment added.",
        action: {
          label: "Open post",
          run: () =>
            void navigate({
              to: "/studios/$studioId/posts/$postId",
              params: { studioId: studio.id, postId },
              search: { panel: "comments" },
            }),
        },
      });
    }).finally(() => (isSending.current = false));
  }

  function handleKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    if (!isEmpty) event.currentTarget.form?.requestSubmit();
  }

  return (
    <FormDialog
      title={`Ask for changes to “${postTitle}”`}
      submitLabel={getSubmitLabel(decision !== undefined, addedComment !== undefined)}
      busyLabel="Sending…"
      canSubmit={!isEmpty}
      onSubmit={sendBack}
      onClose={onClose}
    >
      <div className="mt-4" role="status">
        {decision !== undefined && addedComment === undefined && (
          <Notice tone="warning">This was {decision} in the meantime. You can still add your comment.</Notice>
        )}
      </div>
      <div className="mt-4">
        <TextAreaField
          label="What should change?"
          hint={`Your comment goes to the post, where people and AI clients see it.${decision === undefined ? " This request to publish is canceled; nothing is sent." : ""}`}
          className="max-h-60 min-h-24 resize-none [field-sizing:content]"
          rows={4}
          maxLength={maxCommentLength}
          value={text}
          readOnly={addedComment !== undefined}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={handleKey}
          required
          autoFocus
        />
      </div>
    </FormDialog>
  );
}

/** Returns what someone else decided about the request; undefined if it still waits. */
function getDecision({ state }: Publication): "approved" | "canceled" | undefined {
  if (state === "proposed") return undefined;
  return state === "canceled" ? "canceled" : "approved";
}

function getSubmitLabel(isDecided: boolean, isCommentAdded: boolean): string {
  if (!isDecided) return "Send back";
  return isCommentAdded ? "Done" : "Add comment";
}

function explainPartialFailure(failure: unknown): ApiError {
  const { message, hint } = describeError(failure);
  const [status, code] = failure instanceof ApiError ? [failure.status, failure.code] : [0, "unknown"];
  return new ApiError(
    status,
    code,
    `Your comment was added to the post, but the request to publish was not canceled. ${message}`,
    hint,
  );
}
