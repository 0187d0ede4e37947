import { getRouteApi, linkOptions } from "@tanstack/react-router";
import { ChevronDown, LayoutGrid, Link2, List } from "lucide-react";
import type { Asset } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { assetKinds, type AssetSearch } from "../search-params.ts";
import { countTags } from "../tags/count-tags.ts";
import { ClearTagLink, listMenuTags, TagMenu } from "../tags/TagMenu.tsx";
import { Button } from "../ui/Button.tsx";
import { Menu, MenuRadioGroup, MenuRadioItem } from "../ui/Menu.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import { SegmentedControl } from "../ui/SegmentedControl.tsx";
import { FilterTabs } from "../ui/FilterTabs.tsx";
import { kindLabels, usageLabels } from "./labels.ts";

const route = getRouteApi("/studios/$studioId/assets");

const anyValue = "any";

/** The search, the filters and the view. All of them are in the URL. */
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
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <SearchField
        label="Search files"
        query={search.q ?? ""}
        onSearch={(nextQuery) =>
          setSearch(({ q: __, ...others }) => ({ ...others, ...(nextQuery && { q: nextQuery }) }))
        }
      />
      <UsageMenu
        usage={search.usage}
        onChange={(usage) => setSearch(({ usage: __, ...others }) => ({ ...others, ...(usage && { usage }) }))}
      />
      {tags.length > 0 && (
        <TagMenu
          tag={search.tag}
          onChange={(tag) => setSearch(({ tag: __, ...others }) => ({ ...others, ...(tag && { tag }) }))}
        >
          {tags.map((tag) => (
            <MenuRadioItem key={tag} value={tag} detail={tagCounts.get(tag)}>
              {tag}
            </MenuRadioItem>
          ))}
        </TagMenu>
      )}
      {search.tag !== undefined && (
        <ClearTagLink
          from={route.id}
          to="."
          search={({ tag: __, ...others }) => others}
          aria-label={`Clear tag filter: ${search.tag}`}
        />
      )}
      <div className="min-w-0 max-xl:order-last max-xl:w-full xl:ml-2">
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
      </div>
      <div className="ml-auto">
        <SegmentedControl
          label="View"
          value={search.view ?? "grid"}
          options={[
            { value: "grid", label: "Grid", icon: LayoutGrid, isLabelHidden: true },
            { value: "list", label: "List", icon: List, isLabelHidden: true },
          ]}
          onChange={(view) => setSearch(({ view: __, ...others }) => (view === "list" ? { ...others, view } : others))}
        />
      </div>
    </div>
  );
}

function UsageMenu({
  usage,
  onChange,
}: {
  usage: AssetSearch["usage"];
  onChange: (usage: AssetSearch["usage"]) => void;
}) {
  return (
    <Menu
      label="Filter by usage"
      align="start"
      trigger={
        <Button
          variant={usage ? "secondary" : "quiet"}
          icon={Link2}
          aria-label={usage && `Usage: ${usageLabels[usage]}`}
        >
          {usage ? usageLabels[usage] : "Usage"}
          <ChevronDown size={14} className="text-muted" aria-hidden="true" />
        </Button>
      }
    >
      <MenuRadioGroup
        label="Usage"
        value={usage ?? anyValue}
        onChange={(value) => onChange(value === anyValue ? undefined : value)}
      >
        <MenuRadioItem value={anyValue}>All files</MenuRadioItem>
        <MenuRadioItem value="unused">Unused</MenuRadioItem>
        <MenuRadioItem value="used">Used in a post</MenuRadioItem>
      </MenuRadioGroup>
    </Menu>
  );
}
