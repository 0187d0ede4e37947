import { Link, useRouter } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import type { MouseEvent } from "react";
import { useStudio } from "../layout/use-studio.ts";
import { hasPostFilter, readLastPostsView } from "./last-posts-view.ts";
import { viewLabels } from "./view-labels.ts";

/** Links to the list of posts, with the view and the filters that the user last used. */
export function PostsBackLink() {
  const { studio } = useStudio();
  const router = useRouter();
  const { search, historyIndex } = readLastPostsView(studio.id);

  /** Going back in the history also restores the scroll position. */
  function goBackIfPossible(event: MouseEvent<HTMLAnchorElement>): void {
    const opensInNewTab = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (opensInNewTab || historyIndex !== router.state.location.state.__TSR_index - 1) return;
    event.preventDefault();
    router.history.back();
  }

  return (
    <Link
      className="inline-flex min-h-control flex-none items-center gap-1.5 text-muted no-underline hover:text-ink"
      to="/studios/$studioId/posts"
      params={{ studioId: studio.id }}
      search={search}
      onClick={goBackIfPossible}
    >
      <ArrowLeft size={16} aria-hidden="true" />
      {search.view === undefined ? "Posts" : viewLabels[search.view].label}
      {hasPostFilter(search) && <span className="sr-only"> (filtered)</span>}
    </Link>
  );
}
