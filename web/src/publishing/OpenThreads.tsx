import { Link } from "@tanstack/react-router";
import { MessageSquare } from "lucide-react";
import { formatOpenThreads, listOpenThreads } from "../comments/group-threads.ts";
import { useComments } from "../comments/use-comments.ts";
import { useStudio } from "../layout/use-studio.ts";

/** A link to the post's threads that are not resolved, so that an approver does not overlook an objection. */
export function OpenThreads({ postId }: { postId: string }) {
  const { studio } = useStudio();
  const { comments } = useComments(postId);
  const openThreads = listOpenThreads(comments);
  if (openThreads.length === 0) return null;
  return (
    <p className="mt-4 mb-0">
      <Link
        to="/studios/$studioId/posts/$postId"
        params={{ studioId: studio.id, postId }}
        search={{ panel: "comments" }}
        // The margins keep the target large without moving what is above and below.
        className="-my-2 inline-flex min-h-control items-center gap-1.5 pointer-coarse:-my-2.5"
      >
        <MessageSquare size={16} className="flex-none" aria-hidden="true" />
        {formatOpenThreads(openThreads.length)}
      </Link>
    </p>
  );
}
