import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useRef } from "react";
import { isNotFound } from "../api/api-error.ts";
import { postQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useRestoreFromTrash } from "../trash/use-restore-from-trash.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Loading } from "../ui/Loading.tsx";
import { Notice } from "../ui/Notice.tsx";
import { PostEditor } from "./PostEditor.tsx";

const route = getRouteApi("/studios/$studioId/posts/$postId");

export function PostPage() {
  const { studio } = useStudio();
  const { postId } = route.useParams();
  const post = useQuery(postQuery(studio.id, postId));
  // Kept here, because each post has its own editor.
  const pressedPagerButton = useRef<"previous" | "next">(undefined);
  return (
    <>
      {post.isPending && <Loading />}
      {/* If the server can't be reached, an open post stays open, and the editor shows the error. */}
      {post.data && isNotFound(post.error) && <DeletedNotice postId={postId} />}
      {post.data && <PostEditor key={postId} post={post.data} pressedPagerButton={pressedPagerButton} />}
      {!post.data && isNotFound(post.error) && (
        <EmptyState
          title="Post not found"
          actions={
            <ButtonLink variant="secondary" to="/studios/$studioId/trash" params={{ studioId: studio.id }}>
              Open trash
            </ButtonLink>
          }
        >
          It may be in the trash or belong to another studio. Look in the trash, switch studios, or check the link.
        </EmptyState>
      )}
      {!post.data && post.isError && !isNotFound(post.error) && (
        <ErrorMessage error={post.error} onRetry={() => void post.refetch()} />
      )}
    </>
  );
}

/** Shown when another user or an AI client deletes the open post. The editor stays open, so that no unsaved text is lost. */
function DeletedNotice({ postId }: { postId: string }) {
  const restore = useRestoreFromTrash();
  return (
    <div role="alert">
      <Notice
        action={
          <Button variant="quiet" onClick={() => void restore(postId)}>
            Restore post
          </Button>
        }
      >
        This post was moved to the trash. Restore it to continue editing.
      </Notice>
    </div>
  );
}
