import { usePrefetchQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { FileText } from "lucide-react";
import { useMemo, useRef } from "react";
import { isNotFound } from "../api/api-error.ts";
import { platformsQuery, postQuery } from "../api/queries.ts";
import { StudioContext, useStudio, type StudioAccess } from "../layout/use-studio.ts";
import { useRestoreFromTrash } from "../trash/use-restore-from-trash.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Loading } from "../ui/Loading.tsx";
import { Notice } from "../ui/Notice.tsx";
import { PostEditor } from "./PostEditor.tsx";

const route = getRouteApi("/studios/$studioId/posts/$postId");

export function PostPage() {
  const access = useStudio();
  const { studio } = access;
  const { postId } = route.useParams();
  const post = useQuery(postQuery(studio.id, postId));
  // Requested with the post, so that its accounts don’t appear later than its text.
  usePrefetchQuery(platformsQuery(studio.id));
  const isDeleted = post.data !== undefined && isNotFound(post.error);
  const editorAccess = useMemo(() => (isDeleted ? withoutPostActions(access) : access), [access, isDeleted]);
  // Kept here, because the editor of the next post focuses the same button.
  const pressedPagerButtonRef = useRef<"previous" | "next">(undefined);
  return (
    <>
      {post.isPending && <Loading />}
      {isDeleted && <DeletedNotice postId={postId} />}
      {/* If the server can't be reached, an open post stays open, and the editor shows the error. */}
      {post.data && (
        <StudioContext value={editorAccess}>
          <PostEditor
            key={postId}
            post={post.data}
            isDeleted={isDeleted}
            pressedPagerButtonRef={pressedPagerButtonRef}
          />
        </StudioContext>
      )}
      {!post.data && isNotFound(post.error) && (
        <EmptyState
          title="Post not found"
          icon={FileText}
          actions={
            <>
              <ButtonLink to="/studios/$studioId/posts" params={{ studioId: studio.id }}>
                Go to posts
              </ButtonLink>
              <ButtonLink variant="secondary" to="/studios/$studioId/trash" params={{ studioId: studio.id }}>
                Open trash
              </ButtonLink>
            </>
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

/** A deleted post can't be changed, so its editor renders as it does for a user who may only read. */
const withoutPostActions = (access: StudioAccess): StudioAccess => ({
  ...access,
  may: (action) => !/^(posts|assets|publications)\./.test(action) && access.may(action),
});

/** Shown when another user or an AI client deletes the open post. The editor stays open, so that no unsaved text is lost. */
function DeletedNotice({ postId }: { postId: string }) {
  const restore = useRestoreFromTrash();
  return (
    <div role="alert">
      <Notice action={<Button onClick={() => void restore(postId)}>Restore post</Button>}>
        This post was moved to the trash. Restore it to continue editing.
      </Notice>
    </div>
  );
}
