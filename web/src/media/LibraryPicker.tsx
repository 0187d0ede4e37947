import { useRef, useState } from "react";
import { inBatch } from "../api/change.ts";
import { assetsQuery, type Asset } from "../api/queries.ts";
import { useSearchedList } from "../api/use-paged-list.ts";
import { AssetGrid, AssetGridItem } from "../assets/AssetGrid.tsx";
import { PickableAsset } from "../assets/PickableAsset.tsx";
import { attachOrCopy } from "../assets/attach-or-copy.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { describeNoMatch, labelClearButton } from "../ui/describe-no-match.ts";
import { ChoiceField } from "../ui/Field.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { PagedList } from "../ui/List.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import { ActiveTag, ItemTags, tagClasses } from "../ui/Tags.tsx";

/** Lets the user attach unused files, and copies of files that are on other posts. */
export function LibraryPicker({ postId, onClose }: { postId: string; onClose: () => void }) {
  const { studio } = useStudio();
  const [isShowingUsed, setIsShowingUsed] = useState(false);
  const [search, setSearch] = useState<{ q?: string; tag?: string }>({});
  const filters = useRef<HTMLDivElement>(null);
  const assets = useSearchedList(
    (words) =>
      assetsQuery(studio.id, {
        ...(isShowingUsed ? {} : { unattached: "true" }),
        ...words,
        ...(search.tag && { tag: search.tag }),
      }),
    search.q,
  );
  const items = assets.items.filter((asset) => asset.status === "ready" && asset.postId !== postId);
  const [selectedAssets, setSelectedAssets] = useState<readonly Asset[]>([]);
  const [progressLabel, setProgressLabel] = useState("");

  const attach = () =>
    inBatch(async () => {
      for (const [i, asset] of selectedAssets.entries()) {
        setProgressLabel(`Adding ${i + 1} of ${selectedAssets.length}…`);
        await attachOrCopy(studio.id, postId, asset);
        // If a later file fails, a second attempt must not add this one again.
        setSelectedAssets((current) => current.filter(({ id }) => id !== asset.id));
      }
      onClose();
    });

  /** Moves the focus to the search field, because the control that changed the filter can disappear. */
  function changeSearch(nextSearch: { q?: string; tag?: string }): void {
    setSearch(nextSearch);
    filters.current?.querySelector<HTMLElement>("input[type=search]")?.focus();
  }

  return (
    <FormDialog
      title="Add from library"
      submitLabel={selectedAssets.length > 0 ? `Add ${selectedAssets.length}` : "Add"}
      busyLabel={progressLabel}
      canSubmit={selectedAssets.length > 0}
      onSubmit={attach}
      onClose={onClose}
    >
      <div ref={filters} className="mt-4 mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <SearchField
          label="Search files"
          isWide
          query={search.q ?? ""}
          onSearch={(q) => setSearch(({ q: _, ...others }) => ({ ...others, ...(q && { q }) }))}
        />
        <ChoiceField
          type="checkbox"
          label="Show files from other posts"
          checked={isShowingUsed}
          onChange={({ target }) => setIsShowingUsed(target.checked)}
        />
      </div>
      {search.tag !== undefined && (
        <ActiveTag
          tag={search.tag}
          clear={
            <Button
              variant="quiet"
              aria-label="Clear tag filter"
              onClick={() => changeSearch(search.q === undefined ? {} : { q: search.q })}
            >
              Clear
            </Button>
          }
        />
      )}
      <PagedList
        list={{ ...assets, items }}
        autoLoadingLabel="Searching older files…"
        empty={<NoFiles search={search} isShowingUsed={isShowingUsed} onClear={() => changeSearch({})} />}
      >
        {(listedAssets) => (
          <div className="mt-5 max-h-[50vh] overflow-auto p-1">
            <AssetGrid>
              {listedAssets.map((asset) => (
                <AssetGridItem key={asset.id}>
                  <PickableAsset
                    asset={asset}
                    isSelected={selectedAssets.some(({ id }) => id === asset.id)}
                    note={asset.postId === null ? undefined : "On another post: adds a copy"}
                    onChange={(isSelected) =>
                      setSelectedAssets((current) =>
                        isSelected ? [...current, asset] : current.filter(({ id }) => id !== asset.id),
                      )
                    }
                  />
                  <ItemTags tags={asset.tags}>
                    {(tag) => (
                      <button
                        key={tag}
                        type="button"
                        className={tagClasses}
                        title={`Show files with the tag ${tag}`}
                        onClick={() => changeSearch({ ...search, tag })}
                      >
                        {tag}
                      </button>
                    )}
                  </ItemTags>
                </AssetGridItem>
              ))}
            </AssetGrid>
          </div>
        )}
      </PagedList>
    </FormDialog>
  );
}

function NoFiles({
  search,
  isShowingUsed,
  onClear,
}: {
  search: { q?: string; tag?: string };
  isShowingUsed: boolean;
  onClear: () => void;
}) {
  const noMatch = describeNoMatch("files", search);
  if (noMatch === undefined)
    return <p className="text-muted">{isShowingUsed ? "No other files." : "No unused files."}</p>;
  return (
    <>
      <p className="text-muted [overflow-wrap:anywhere]">{noMatch}</p>
      <p>
        <Button variant="quiet" onClick={onClear}>
          {labelClearButton(search.q, [search.tag])}
        </Button>
      </p>
    </>
  );
}
