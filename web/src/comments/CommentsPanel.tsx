import { useRef } from "react";
import { addComment } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Disclosure } from "../ui/Disclosure.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { CommentForm } from "./CommentForm.tsx";
import { CommentThread } from "./CommentThread.tsx";
import { groupThreads, type Thread } from "./group-threads.ts";
import { useLinkedCommentId } from "./use-linked-comment.ts";
import { useComments } from "./use-comments.ts";

/** The comments of a post in threads, newest thread first; resolved ones are collapsed. */
export function CommentsPanel({ postId }: { postId: string }) {
  const { studio, may } = useStudio();
  const { query, comments } = useComments(postId);
  const section = useRef<HTMLElement>(null);
  const threads = groupThreads(comments);
  const openThreads = threads.filter(({ first }) => first.resolvedAt === null);
  const linkedId = useLinkedCommentId();
  const resolvedThreads = threads.filter(({ first }) => first.resolvedAt !== null);

  /** Called after a change, because the thread with the focus may have moved to the other list. */
  const keepFocus = (): void =>
    void setTimeout(() => {
      if (document.activeElement === document.body) section.current?.focus({ preventScroll: true });
    });

  return (
    <section ref={section} tabIndex={-1} aria-label="Comments" className="outline-none">
      {may("posts.write") && (
        <CommentForm
          key={postId}
          draftKey={postId}
          label="Add a comment"
          submitLabel="Comment"
          onSend={(body, visibility) => addComment({ studioId: studio.id, postId }, { body, visibility })}
        />
      )}
      <QueryStatus query={query} />
      {query.isSuccess && comments.length === 0 && (
        <p className="text-muted">No comments yet. Ask a question or leave a note for your team and its AI clients.</p>
      )}
      <ThreadList label="Threads" threads={openThreads} onChange={keepFocus} />
      {resolvedThreads.length > 0 && (
        <Disclosure
          className="mt-4"
          isOpen={resolvedThreads.some(({ first, replies }) => [first, ...replies].some(({ id }) => id === linkedId))}
          summary={resolvedThreads.length === 1 ? "1 resolved thread" : `${resolvedThreads.length} resolved threads`}
        >
          <ThreadList label="Resolved threads" threads={resolvedThreads} onChange={keepFocus} />
        </Disclosure>
      )}
    </section>
  );
}

function ThreadList({ label, threads, onChange }: { label: string; threads: readonly Thread[]; onChange: () => void }) {
  if (threads.length === 0) return null;
  return (
    <ul aria-label={label} className="mt-2 divide-y divide-rule">
      {threads.map((thread) => (
        <CommentThread key={thread.first.id} thread={thread} onChange={onChange} />
      ))}
    </ul>
  );
}
