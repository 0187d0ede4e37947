import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { lazy, Suspense } from "react";
import { useStudio } from "../layout/use-studio.ts";
import { postViews, type PostViewName } from "../search-params.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { Loading } from "../ui/Loading.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { SegmentedControl } from "../ui/SegmentedControl.tsx";
import { useShortcut } from "../ui/use-shortcut.ts";
import { PostListPage } from "./list/PostListPage.tsx";
import { PostDialogsProvider } from "./PostDialogs.tsx";
import { useSaveLastPostsView } from "./last-posts-view.ts";
import { viewLabels } from "./view-labels.ts";

const route = getRouteApi("/studios/$studioId/posts");

const BoardView = lazy(async () => ({ default: (await import("./board/BoardView.tsx")).BoardView }));
const CalendarView = lazy(async () => ({ default: (await import("./calendar/CalendarView.tsx")).CalendarView }));

/** The studio's posts as a list, as a board by status, or on a calendar. The URL holds the view and its filters. */
export function PostsPage() {
  const { studio, may } = useStudio();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view: PostViewName = search.view ?? "list";
  useSaveLastPostsView(studio.id, search);

  function show(nextView: PostViewName): void {
    void navigate({
      // Only the calendar can be filtered by account, and only the others by review.
      search: ({ view: _, accounts: __, status, review, ...rest }) => {
        const others = nextView === "calendar" || !review ? rest : { ...rest, review };
        // The board has a column for each status instead of a filter.
        if (nextView === "board" && status === "archived") return { ...others, archived: true, view: nextView };
        return { ...others, ...(status ? { status } : {}), ...(nextView === "list" ? {} : { view: nextView }) };
      },
    });
  }
  useShortcut({
    keys: "v l",
    label: "Show posts as a list",
    group: "Posts",
    icon: viewLabels.list.icon,
    isCurrent: view === "list",
    run: () => show("list"),
  });
  useShortcut({
    keys: "v b",
    label: "Show posts on a board",
    group: "Posts",
    icon: viewLabels.board.icon,
    isCurrent: view === "board",
    run: () => show("board"),
  });
  useShortcut({
    keys: "v c",
    label: "Show posts on a calendar",
    group: "Posts",
    icon: viewLabels.calendar.icon,
    isCurrent: view === "calendar",
    run: () => show("calendar"),
  });

  return (
    <>
      <PageHeader
        title="Posts"
        isWide
        actions={
          <>
            <SegmentedControl
              label="View"
              value={view}
              options={postViews.map((value) => ({ value, ...viewLabels[value] }))}
              onChange={show}
            />
            {may("posts.write") && (
              <ButtonLink
                to="/studios/$studioId/posts/new"
                params={{ studioId: studio.id }}
                icon={Plus}
                className="max-sm:ml-auto max-sm:w-control max-sm:px-0"
              >
                <span className="max-sm:sr-only">New post</span>
              </ButtonLink>
            )}
          </>
        }
      />
      <PostDialogsProvider>
        <Suspense fallback={<Loading />}>
          {view === "list" && <PostListPage search={search} />}
          {view === "board" && <BoardView search={search} />}
          {view === "calendar" && <CalendarView search={search} />}
        </Suspense>
      </PostDialogsProvider>
    </>
  );
}
