import { Check, RotateCcw } from "lucide-react";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { formatError } from "../api/api-error.ts";
import { addComment, changeComment } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import { TextButton } from "../ui/Button.tsx";
import { formatActor } from "../ui/format-actor.ts";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { CommentForm } from "./CommentForm.tsx";
import { CommentItem } from "./CommentItem.tsx";
import type { Thread } from "./group-threads.ts";

/** A comment with its replies. */
export function CommentThread({ thread, onChange }: { thread: Thread; onChange: () => void }) {
  const { studio, may } = useStudio();
  const { first, replies } = thread;
  const [isReplying, setIsReplying] = useState(false);
  const replyButton = useRef<HTMLButtonElement>(null);
  const setResolved = useSetResolved(thread, onChange);
  const isResolved = first.resolvedAt !== null;
  const canWrite = may("posts.write");

  const closeForm = (): void => {
    flushSync(() => setIsReplying(false));
    replyButton.current?.focus();
  };

  const sendReply = async (body: string, visibility: "team" | "guests"): Promise<void> => {
    await addComment({ studioId: studio.id, postId: first.postId }, { body, visibility, parentId: first.id });
    onChange();
    closeForm();
  };

  return (
    <li className="grid gap-3 py-4">
      <CommentItem comment={first} onChange={onChange} />
      {replies.length > 0 && (
        <ul aria-label="Replies" className="ml-3.5 grid gap-3 border-l border-rule pl-5">
          {replies.map((reply) => (
            <li key={reply.id}>
              <CommentItem comment={reply} onChange={onChange} />
            </li>
          ))}
        </ul>
      )}
      {first.resolvedAt !== null && (
        <p className="m-0 ml-9.5 text-sm text-muted">
          Resolved by {formatActor(first.resolvedBy)} <RelativeTime at={first.resolvedAt} timezone={studio.timezone} />
        </p>
      )}
      {canWrite && isReplying && !isResolved && (
        <div className="ml-9.5">
          <CommentForm draftKey={first.id} label="Reply" submitLabel="Reply" onSend={sendReply} onCancel={closeForm} />
        </div>
      )}
      {canWrite && (isResolved || !isReplying) && (
        <div className="-my-1 ml-9.5 flex gap-4">
          {!isResolved && (
            <TextButton ref={replyButton} onClick={() => setIsReplying(true)}>
              Reply
            </TextButton>
          )}
          <TextButton icon={isResolved ? RotateCcw : Check} onClick={() => void setResolved(!isResolved)}>
            {isResolved ? "Reopen" : "Resolve"}
            <span className="sr-only"> thread</span>
          </TextButton>
        </div>
      )}
    </li>
  );
}

/** Resolves or reopens the thread; the toast offers the opposite, because the thread moves to another list. */
function useSetResolved(
  { first }: Thread,
  onChange: () => void,
): (isResolved: boolean, canUndo?: boolean) => Promise<void> {
  const { studio } = useStudio();
  const showToast = useToast();
  return async function setResolved(isResolved, canUndo = true) {
    try {
      const { id, postId } = first;
      await changeComment({ studioId: studio.id, postId, commentId: id }, { resolved: isResolved });
      onChange();
      const undo = { label: "Undo", run: () => void setResolved(!isResolved, false) };
      if (canUndo) showToast({ text: isResolved ? "Thread resolved." : "Thread reopened.", action: undo });
    } catch (error) {
      showToast({ text: formatError(error) });
    }
  };
}
