import { useRouter } from "@tanstack/react-router";
import { ChevronDown, ChevronUp } from "lucide-react";
import { useEffect, useMemo } from "react";
import { postSummariesQuery } from "../api/summary-queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useToast } from "../ui/Toasts.tsx";
import { useShortcut } from "../ui/use-shortcut.ts";
import { boardPageSize } from "./board-page-size.ts";
import { readLastPostsView } from "./last-posts-view.ts";
import { findGroup } from "./post-groups.ts";
import { toSummaryFilter } from "./to-summary-filter.ts";
import { unsavedMessages, type EditorController } from "./use-editor.ts";

/** How many posts before the end of the loaded list the next page is requested. */
const loadAheadCount = 3;
const staleAfterMs = 60_000;

export interface PostPager {
  /** Undefined if there is no previous post. */
  openPrevious: (() => void) | undefined;
  /** Undefined if there is no next post. */
  openNext: (() => void) | undefined;
}

/** The posts before and after this one in the list, or in the column of the board, that the user came from. */
export function usePostPager(editor: EditorController): PostPager {
  const { studio } = useStudio();
  const { id } = editor.post;
  const search = useMemo(() => readLastPostsView(studio.id).search, [studio.id]);
  const isBoard = search.view === "board";
  // The calendar has no such order, even if the list is in the cache.
  const hasListOrder = search.view !== "calendar";
  const { query, items } = usePagedList({
    ...postSummariesQuery(
      studio.id,
      toSummaryFilter(isBoard ? { ...search, status: findGroup(editor.post) } : search),
      ...(isBoard ? [boardPageSize] : []),
    ),
    enabled: hasListOrder,
    staleTime: staleAfterMs,
  });
  const index = hasListOrder ? items.findIndex((post) => post.id === id) : -1;
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  const isNearEnd = index >= 0 && index >= items.length - loadAheadCount;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetching, isError, fetchNextPage]);

  const saveAndOpen = useSaveAndOpen(editor);
  const [previousPost, nextPost] = index < 0 ? [] : [items[index - 1], items[index + 1]];
  const openPrevious = previousPost && (() => void saveAndOpen(previousPost.id));
  const openNext = nextPost && (() => void saveAndOpen(nextPost.id));
  const group = "Post";
  useShortcut({
    keys: "k",
    label: "Previous post",
    group,
    icon: ChevronUp,
    isEnabled: openPrevious !== undefined,
    run: () => openPrevious?.(),
  });
  useShortcut({
    keys: "j",
    label: "Next post",
    group,
    icon: ChevronDown,
    isEnabled: openNext !== undefined,
    run: () => openNext?.(),
  });
  return { openPrevious, openNext };
}

/** Saves this post, then opens another one. If this one can't be saved, the user stays here. */
function useSaveAndOpen(editor: EditorController): (postId: string) => Promise<void> {
  const { studio } = useStudio();
  const router = useRouter();
  const showToast = useToast();

  return async (postId) => {
    const { pathname } = router.state.location;
    const result = await editor.save();
    // The user may have opened another page in the meantime.
    if (router.state.location.pathname !== pathname) return;
    if (result !== "saved") {
      showToast({ text: unsavedMessages[result] });
      return;
    }
    await router.navigate({
      to: "/studios/$studioId/posts/$postId",
      params: { studioId: studio.id, postId },
      // The browser's Back returns to the list, however many posts the user has read.
      replace: true,
    });
  };
}
