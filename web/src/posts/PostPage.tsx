import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useRef } from "react";
import { isNotFound } from "../api/api-error.ts";
import { postQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Loading } from "../ui/Loading.tsx";
import { DeletedNotice } from "./DeletedNotice.tsx";
import { PostEditor } from "./PostEditor.tsx";

const route = getRouteApi("/studios/$studioId/posts/$postId");

export function PostPage() {
  const { studio } = useStudio();
  const { postId } = route.useParams();
  const post = useQuery(postQuery(studio.id, postId));
  // The editor of the next post is another one, so this one can't keep it.
  const pressedPager = useRef<"previous" | "next">(undefined);
  return (
    <>
      {post.isPending && <Loading />}
      {/* If the server can't be reached, an open post stays open, and the editor shows the error. */}
      {post.data && isNotFound(post.error) && <DeletedNotice postId={postId} />}
      {post.data && <PostEditor key={postId} post={post.data} pressedPager={pressedPager} />}
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
