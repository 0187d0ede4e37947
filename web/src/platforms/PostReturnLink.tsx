import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { postQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";

const route = getRouteApi("/studios/$studioId/platforms");

/** Leads back to the post from which the user came to connect an account. */
export function PostReturnLink() {
  const { studio } = useStudio();
  const { post: postId, at } = route.useSearch();
  const post = useQuery({ ...postQuery(studio.id, postId ?? ""), enabled: postId !== undefined });
  if (!post.data) return null;
  return (
    <p className="m-0 mb-6">
      <Link
        className="-my-2 inline-flex max-w-full items-center gap-1.5 py-2 text-muted no-underline hover:text-accent"
        to="/studios/$studioId/posts/$postId"
        params={{ studioId: studio.id, postId: post.data.id }}
        search={at === undefined ? {} : { at }}
      >
        <ArrowLeft size={16} className="flex-none" aria-hidden="true" />
        <span className="truncate">Back to “{post.data.title}”</span>
      </Link>
    </p>
  );
}
