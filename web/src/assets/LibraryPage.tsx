import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { assetsQuery } from "../api/queries.ts";
import { useSearchedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { needsAttention } from "../media/needs-attention.ts";
import { UploadRow, UploadTile } from "../media/UploadTile.tsx";
import { useCancelUpload } from "../media/use-cancel-upload.tsx";
import { Button } from "../ui/Button.tsx";
import { Loading } from "../ui/Loading.tsx";
import { SimilarMatches } from "../ui/NoMatch.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { restoreFocusSoon } from "../ui/restore-focus.ts";
import { BulkActions } from "./BulkActions.tsx";
import { LibraryDetails } from "./LibraryDetails.tsx";
import { LibraryEmptyState } from "./LibraryEmptyState.tsx";
import { LibraryGrid, type LibraryGridHandle } from "./LibraryGrid.tsx";
import { LibraryListHeader } from "./LibraryListHeader.tsx";
import { LibraryRow, LibraryTile } from "./LibraryTile.tsx";
import { LibraryActions, LibraryToolbar } from "./LibraryToolbar.tsx";
import { DropTarget, UploadStatus } from "./UploadStatus.tsx";
import { useLibraryUploads } from "./use-library-uploads.ts";
import { useSelection } from "../bulk/use-selection.ts";
import { useSelectionKeys } from "../bulk/use-selection-keys.ts";

const route = getRouteApi("/studios/$studioId/assets");

/** All files of the studio, newest first. */
export function LibraryPage() {
  const { studio, may } = useStudio();
  const { q, view = "grid", file: openId, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useSearchedList((words) => assetsQuery(studio.id, { ...filter, ...words }), q);
  const { query, isAutoLoading } = list;
  const isFiltered = q !== undefined || Object.keys(filter).length > 0;
  const uploads = useLibraryUploads(list.items, isFiltered);
  const { cancelUpload, canceledIds } = useCancelUpload(uploads, restoreFocusSoon);
  const uploadIds = new Set(uploads.items.map(({ id }) => id));
  const assets = list.items.filter(
    ({ id, status }) => !uploadIds.has(id) && (status === "ready" || !canceledIds.has(id)),
  );
  const uploadCount = uploads.visibleItems.length;
  const count = uploadCount + assets.length;
  const isEmpty = query.isSuccess && count === 0 && !query.hasNextPage && !isFiltered;
  const mayWrite = may("assets.write");
  const readyIds = assets.filter(({ status }) => status === "ready").map(({ id }) => id);
  const selection = useSelection(readyIds);
  const grid = useRef<LibraryGridHandle>(null);
  useSelectionKeys({ selection, ids: readyIds, itemName: "file", group: "Library", isEnabled: mayWrite });

  const setOpenId = (id: string | undefined, replace = false) =>
    void navigate({
      search: ({ file: _, ...others }) => (id === undefined ? others : { ...others, file: id }),
      replace,
    });

  /** In the grid, the reason why an upload failed is as long as two lines. */
  function needsTagLine(index: number): boolean {
    const upload = uploads.visibleItems[index];
    if (upload) return view === "grid" && needsAttention(upload);
    return (assets[index - uploadCount]?.tags?.length ?? 0) > 0;
  }

  function loadMore(): void {
    if (query.hasNextPage && !query.isFetching && !query.isError) void query.fetchNextPage();
  }

  // The dialog closes only after the URL has changed. Until then, no tile can have the focus.
  const lastSeenIndex = useRef<number>(undefined);
  useEffect(() => {
    if (openId !== undefined || lastSeenIndex.current === undefined) return;
    grid.current?.focusItem(lastSeenIndex.current);
    lastSeenIndex.current = undefined;
  }, [openId]);

  /** Moves the focus to the file that the user saw last. */
  function closeDetails(): void {
    const index = assets.findIndex(({ id }) => id === openId);
    lastSeenIndex.current = index < 0 ? undefined : uploadCount + index;
    setOpenId(undefined, true);
  }

  return (
    <>
      <PageHeader
        isWide
        title="Library"
        // An empty library has the upload button below its explanation.
        actions={!isEmpty && <LibraryActions canUpload={!query.isPending} onFiles={uploads.add} />}
      />
      {mayWrite && <DropTarget onFiles={uploads.add} />}
      {!isEmpty && <LibraryToolbar listedAssets={assets} />}
      <UploadStatus uploads={uploads} />
      <QueryStatus query={query} />
      {list.isFuzzy && <SimilarMatches noun="files" query={q} />}
      <div data-selecting={selection.ids.size > 0 || undefined} className={selection.ids.size > 0 ? "pb-20" : ""}>
        {count > 0 && (
          <>
            <LibraryListHeader view={view} selection={selection} ids={readyIds} hasMore={query.hasNextPage} />
            <LibraryGrid
              ref={grid}
              label="Files"
              view={view}
              count={count}
              hasMore={query.hasNextPage}
              onLoadMore={loadMore}
              needsTagLine={needsTagLine}
              getKey={(index) => uploads.visibleItems[index]?.key ?? assets[index - uploadCount]?.id ?? String(index)}
              renderItem={(index, { frameHeight, tagsHeight }) => {
                const upload = uploads.visibleItems[index];
                const asset = assets[index - uploadCount];
                if (upload) {
                  const tile = { upload, uploads, onCancel: cancelUpload };
                  return (
                    <section
                      aria-label={`Upload of ${upload.name}`}
                      data-tile={index}
                      tabIndex={-1}
                      className={view === "list" ? "h-full" : ""}
                    >
                      {view === "list" ? <UploadRow {...tile} /> : <UploadTile {...tile} frameHeight={frameHeight} />}
                    </section>
                  );
                }
                if (!asset) return null;
                const isSelected = selection.ids.has(asset.id);
                const item = {
                  asset,
                  index,
                  isSelected,
                  // A range always adds to the selection, even if the clicked file was already selected.
                  onToggle: mayWrite
                    ? (isRange: boolean) => selection.toggle(asset.id, isRange || !isSelected, isRange)
                    : undefined,
                  onOpen: () => setOpenId(asset.id),
                };
                return view === "list" ? (
                  <LibraryRow {...item} areTagsBelow={tagsHeight > 0} />
                ) : (
                  <LibraryTile {...item} frameHeight={frameHeight} />
                );
              }}
            />
          </>
        )}
      </div>
      {query.isSuccess && count === 0 && !query.hasNextPage && <LibraryEmptyState onFiles={uploads.add} />}
      {isAutoLoading && <Loading label="Searching older files…" />}
      {query.isFetchNextPageError && (
        <p>
          <Button variant="secondary" onClick={() => void query.fetchNextPage()}>
            Load more files
          </Button>
        </p>
      )}
      {query.isFetchingNextPage && !isAutoLoading && <Loading label="Loading more files…" />}
      {mayWrite && <BulkActions assets={assets.filter(({ id }) => selection.ids.has(id))} selection={selection} />}
      {openId !== undefined && (
        <LibraryDetails
          openId={openId}
          assets={assets}
          onOpen={(id) => setOpenId(id, true)}
          onNearEnd={loadMore}
          onClose={closeDetails}
        />
      )}
    </>
  );
}
