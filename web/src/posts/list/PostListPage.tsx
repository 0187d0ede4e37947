import { linkOptions } from "@tanstack/react-router";
import { Rows2, Rows4 } from "lucide-react";
import { postSummariesQuery } from "../../api/summary-queries.ts";
import { useSearchedList } from "../../api/use-paged-list.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { postGroups, type PostSearch } from "../../search-params.ts";
import { ReviewFilter } from "../../reviews/ReviewFilter.tsx";
import { QueryStatus } from "../../ui/QueryStatus.tsx";
import { SimilarMatches } from "../../ui/NoMatch.tsx";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { FilterTabs } from "../../ui/FilterTabs.tsx";
import { ConnectClientHint } from "../ConnectClientHint.tsx";
import { NoPosts } from "../NoPosts.tsx";
import { PostFilters } from "../PostFilters.tsx";
import { groupLabels } from "../post-groups.ts";
import { toSummaryFilter } from "../to-summary-filter.ts";
import { isFiltered, useHasArchivedPosts } from "../use-archived-posts.ts";
import { PostListView } from "./PostListView.tsx";
import { useDensity } from "./use-density.ts";

const densities = [
  { value: "comfortable", label: "Comfortable", icon: Rows2, isLabelHidden: true },
  { value: "compact", label: "Compact", icon: Rows4, isLabelHidden: true },
] as const;

/** The list with its filters. */
export function PostListPage({ search }: { search: PostSearch }) {
  const { studio } = useStudio();
  const [density, setDensity] = useDensity();
  const { query: _, ...filter } = toSummaryFilter(search);
  const list = useSearchedList((words) => postSummariesQuery(studio.id, { ...filter, ...words }), search.q);
  const isListEmpty = list.query.isSuccess && list.items.length === 0 && !list.query.hasNextPage;
  const hasArchivedPosts = useHasArchivedPosts(search, isListEmpty);
  const isEmptyStudio = isListEmpty && !isFiltered(search) && hasArchivedPosts === false;
  const { status: currentStatus, archived, ...otherSearch } = search;
  return (
    <>
      {!isEmptyStudio && (
        <div className="mb-3 flex flex-wrap items-center gap-x-2 gap-y-2">
          <PostFilters
            search={search}
            hasArchivedFilter={currentStatus === undefined}
            tabs={
              // The density is not beside the filters, because one that is on can be too wide for that.
              <div className="flex items-center justify-between gap-2">
                <div className="min-w-0 max-sm:flex-1">
                  <FilterTabs
                    label="Filter by status"
                    current={currentStatus}
                    options={postGroups.map((group) => [group, groupLabels[group]])}
                    getLink={(status) =>
                      linkOptions({
                        to: "/studios/$studioId/posts",
                        params: { studioId: studio.id },
                        search: {
                          ...otherSearch,
                          ...(status ? { status } : {}),
                          ...(archived && !status ? { archived } : {}),
                        },
                      })
                    }
                  />
                </div>
                <span className="flex-none max-sm:hidden">
                  <SegmentedControl label="Density" value={density} options={densities} onChange={setDensity} />
                </span>
              </div>
            }
          >
            <ReviewFilter search={search} />
          </PostFilters>
        </div>
      )}
      <QueryStatus query={list.query} />
      {list.isFuzzy && <SimilarMatches noun="posts" query={search.q} />}
      {/* A failed refetch or next page keeps the loaded posts, and with them the selection. */}
      {list.query.data && <PostListView key={JSON.stringify(search)} list={list} density={density} search={search} />}
      {isListEmpty && <NoPosts search={search} hasArchivedPosts={hasArchivedPosts} />}
      {list.items.length > 0 && !isFiltered(search) && <ConnectClientHint />}
    </>
  );
}
