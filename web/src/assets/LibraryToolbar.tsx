import { getRouteApi, linkOptions } from "@tanstack/react-router";
import { LayoutGrid, Link2, Rows3 } from "lucide-react";
import type { ComponentProps } from "react";
import type { Asset } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { assetKinds, type AssetSearch } from "../search-params.ts";
import { countTags } from "../tags/count-tags.ts";
import { listMenuTags, TagMenu } from "../tags/TagMenu.tsx";
import { FilterBar } from "../ui/FilterBar.tsx";
import { FilterTabs } from "../ui/FilterTabs.tsx";
import { FilterRadioMenu } from "../ui/FilterMenu.tsx";
import { MenuLabel, MenuRadioItem } from "../ui/Menu.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import { SegmentedControl } from "../ui/SegmentedControl.tsx";
import { kindLabels, usageLabels } from "./labels.ts";
import { UploadButton } from "./UploadButton.tsx";

const route = getRouteApi("/studios/$studioId/assets");

/** The search and the filters. All of them are in the URL. */
export function LibraryToolbar({ listedAssets }: { listedAssets: readonly Asset[] }) {
  const { studio } = useStudio();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { kind: currentKind, file: _, ...otherSearch } = search;
  const setSearch = (change: (current: AssetSearch) => AssetSearch) => void navigate({ search: change, replace: true });
  // Only tags of the listed files; users find other tags with the search.
  const tagCounts = countTags(listedAssets);
  const tags = listMenuTags([...tagCounts.keys()], search.tag);

  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <FilterBar
        tabs={
          <FilterTabs
            label="Filter by kind"
            current={currentKind}
            options={assetKinds.map((kind) => [kind, kindLabels[kind]])}
            getLink={(kind) =>
              linkOptions({
                to: "/studios/$studioId/assets",
                params: { studioId: studio.id },
                search: kind ? { ...otherSearch, kind } : otherSearch,
              })
            }
          />
        }
        hasActiveFilter={search.tag !== undefined || search.usage !== undefined}
        search={
          <SearchField
            label="Search files"
            query={search.q ?? ""}
            onSearch={(nextQuery) =>
              setSearch(({ q: __, ...others }) => ({ ...others, ...(nextQuery && { q: nextQuery }) }))
            }
          />
        }
      >
        <TagMenu
          tag={search.tag}
          onChange={(tag) => setSearch(({ tag: __, ...others }) => ({ ...others, ...(tag && { tag }) }))}
        >
          {tags.map((tag) => (
            <MenuRadioItem key={tag} value={tag} detail={tagCounts.get(tag)}>
              {tag}
            </MenuRadioItem>
          ))}
          {tags.length === 0 && <MenuLabel>No listed file has a tag.</MenuLabel>}
        </TagMenu>
        <FilterRadioMenu
          name="Usage"
          icon={Link2}
          value={search.usage}
          valueLabel={search.usage && usageLabels[search.usage]}
          anyLabel="All files"
          onChange={(usage) => setSearch(({ usage: __, ...others }) => ({ ...others, ...(usage && { usage }) }))}
        >
          <MenuRadioItem value="unused">Unused</MenuRadioItem>
          <MenuRadioItem value="used">Used in a post</MenuRadioItem>
        </FilterRadioMenu>
      </FilterBar>
    </div>
  );
}

/** The view, which is in the URL, and the upload button. */
export function LibraryActions({ canUpload, onFiles }: ComponentProps<typeof UploadButton> & { canUpload: boolean }) {
  const { may } = useStudio();
  const { view = "grid" } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <SegmentedControl
        label="View"
        value={view}
        options={[
          { value: "grid", label: "Grid", icon: LayoutGrid },
          { value: "list", label: "List", icon: Rows3 },
        ]}
        onChange={(nextView) =>
          void navigate({
            search: ({ view: _, ...others }) => (nextView === "list" ? { ...others, view: nextView } : others),
            replace: true,
          })
        }
      />
      {canUpload && may("assets.write") && (
        <span className="max-sm:ml-auto">
          <UploadButton onFiles={onFiles} />
        </span>
      )}
    </>
  );
}
