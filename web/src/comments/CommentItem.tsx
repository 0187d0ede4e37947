import { Eye, EyeOff, Trash2 } from "lucide-react";
import type { Comment } from "../api/comment-queries.ts";
import { changeComment, deleteComment } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Avatar } from "../ui/Avatar.tsx";
import { useConfirm } from "../ui/Confirm.tsx";
import { capitalize, formatActor, formatGuest } from "../ui/format-actor.ts";
import { IconButton } from "../ui/IconButton.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { restoreFocusSoon } from "../ui/restore-focus.ts";
import { useAction } from "../ui/use-action.ts";
import { LinkedText } from "./LinkedText.tsx";
import { useScrollToComment } from "./use-linked-comment.ts";

/** A comment with its author and time. */
export function CommentItem({ comment, onChange }: { comment: Comment; onChange: () => void }) {
  const { studio, me, may } = useStudio();
  const confirm = useConfirm();
  const author = capitalize(
    comment.guest ? formatGuest(comment.guest, comment.client) : formatActor(comment.user, comment.client),
  );
  const isForGuests = comment.visibility === "guests";
  const { run } = useAction();
  const isOwn = comment.user?.id === me.user.id;
  const { item, isLinked } = useScrollToComment(comment.id);

  if (comment.isDeleted) return <p className="m-0 ml-9.5 text-muted italic">Comment deleted</p>;

  const confirmDeletion = (): void =>
    confirm({
      title: "Delete this comment?",
      body: "It can’t be restored. Replies by others stay.",
      action: "Delete comment",
      busyLabel: "Deleting…",
      run: async () => {
        await deleteComment({ studioId: studio.id, postId: comment.postId, commentId: comment.id });
        onChange();
        restoreFocusSoon();
      },
    });

  return (
    <article
      ref={item}
      className={`grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5 ${isLinked ? "-m-2 rounded-md bg-wash p-2" : ""}`}
      aria-label={`Comment by ${author}`}
      aria-current={isLinked || undefined}
    >
      <Avatar name={comment.guest?.name ?? comment.user?.name ?? "?"} client={comment.client} />
      <div className="min-w-0">
        <div className="flex items-start gap-1">
          <p className="m-0 min-w-0 flex-1 text-sm">
            <strong className="font-semibold [overflow-wrap:anywhere]">{author}</strong>{" "}
            <span className="whitespace-nowrap text-muted">
              <RelativeTime at={comment.createdAt} timezone={studio.timezone} />
            </span>
            {isForGuests && <span className="text-muted"> · shown to guests</span>}
          </p>
          {may("posts.write") && !comment.guest && (
            <div className="relative -my-1.5 flex flex-none pointer-coarse:-my-3">
              <IconButton
                icon={isForGuests ? Eye : EyeOff}
                size="small"
                aria-pressed={isForGuests}
                label={
                  isForGuests ? "Guests see this; hide it from them" : "Only the team sees this; show it to guests"
                }
                onClick={() =>
                  void run(() =>
                    changeComment(
                      { studioId: studio.id, postId: comment.postId, commentId: comment.id },
                      { visibility: isForGuests ? "team" : "guests" },
                    ),
                  )
                }
              />
            </div>
          )}
          {isOwn && (
            <div className="relative -my-1.5 flex flex-none pointer-coarse:-my-3">
              <IconButton
                icon={Trash2}
                variant="danger"
                size="small"
                label="Delete comment"
                onClick={confirmDeletion}
              />
            </div>
          )}
        </div>
        <p dir="auto" className="mt-0.5 mb-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
          <LinkedText text={comment.body} />
        </p>
      </div>
    </article>
  );
}
