import { getRouteApi, Link, linkOptions } from "@tanstack/react-router";
import { useState } from "react";
import { assetsQuery } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { assetKinds, type AssetSearch } from "../search-params.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { ChoiceField } from "../ui/Field.tsx";
import { PagedList, Toolbar } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import { FilterTabs } from "../ui/Tabs.tsx";
import { ActiveTag, ItemTags, tagClasses } from "../ui/Tags.tsx";
import { describeNoMatch } from "../ui/describe-no-match.ts";
import { AssetDialog } from "./AssetDialog.tsx";
import { AssetGrid, AssetGridItem, AssetTile } from "./AssetGrid.tsx";
import { UploadButton, UploadPanel, useUploadPanel } from "./UploadPanel.tsx";

const route = getRouteApi("/studios/$studioId/assets");

const kindLabels = { image: "Images", video: "Videos", document: "Documents" } as const;

export function AssetsPage() {
  const { studio, may } = useStudio();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { kind: currentKind, ...otherSearch } = search;
  const { q, ...filter } = search;
  const assets = usePagedList(assetsQuery(studio.id, { ...filter, ...(q && { query: q }) }));
  const [openId, setOpenId] = useState<string>();
  const uploadPanel = useUploadPanel(studio.id);
  const openAsset = assets.items.find(({ id }) => id === openId);

  return (
    <>
      <PageHeader title="Assets" actions={may("assets.write") && <UploadButton {...uploadPanel} />}>
        All files in this studio, newest first.
      </PageHeader>
      {may("assets.write") && <UploadPanel {...uploadPanel} />}
      <Toolbar>
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
        <UnattachedSwitch search={search} />
        <SearchField
          label="Search files"
          query={q ?? ""}
          onSearch={(nextQuery) =>
            void navigate({
              search: ({ q: _, ...others }) => ({ ...others, ...(nextQuery && { q: nextQuery }) }),
              replace: true,
            })
          }
        />
      </Toolbar>
      {search.tag !== undefined && (
        <ActiveTag
          tag={search.tag}
          clear={
            <Link from={route.id} to="." search={({ tag: _, ...others }) => others} aria-label="Clear tag filter">
              Clear
            </Link>
          }
        />
      )}
      <PagedList list={assets} empty={<NoAssets search={search} />} autoLoadingLabel="Searching older files…">
        {(items) => (
          <AssetGrid aria-label="Assets">
            {items.map((asset) => (
              <AssetGridItem key={asset.id}>
                <AssetTile asset={asset} onOpen={() => setOpenId(asset.id)} />
                <p className="m-0 text-sm text-muted">
                  {asset.postId === null ? (
                    "Not used yet"
                  ) : (
                    <Link
                      to="/studios/$studioId/posts/$postId"
                      params={{ studioId: studio.id, postId: asset.postId }}
                      aria-label={`Used in a post: ${asset.filename}`}
                    >
                      Used in a post
                    </Link>
                  )}
                </p>
                <ItemTags tags={asset.tags}>
                  {(tag) => (
                    <Link
                      key={tag}
                      className={tagClasses}
                      from={route.id}
                      to="."
                      search={(current) => ({ ...current, tag })}
                      title={`Show files with the tag ${tag}`}
                    >
                      {tag}
                    </Link>
                  )}
                </ItemTags>
              </AssetGridItem>
            ))}
          </AssetGrid>
        )}
      </PagedList>
      {openAsset && <AssetDialog asset={openAsset} onClose={() => setOpenId(undefined)} />}
    </>
  );
}

function UnattachedSwitch({ search }: { search: AssetSearch }) {
  const navigate = route.useNavigate();
  return (
    <ChoiceField
      type="checkbox"
      label="Unused only"
      checked={search.unattached !== undefined}
      onChange={({ target }) =>
        void navigate({
          search: ({ unattached: _, ...others }) => (target.checked ? { ...others, unattached: "true" } : others),
        })
      }
    />
  );
}

function NoAssets({ search }: { search: AssetSearch }) {
  const { studio } = useStudio();
  if (Object.keys(search).length > 0) {
    return (
      <EmptyState
        title="No matching files"
        actions={
          <Link to="/studios/$studioId/assets" params={{ studioId: studio.id }}>
            Show all files
          </Link>
        }
      >
        {describeNoMatch("files", search)}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No files yet"
      actions={
        <>
          <ButtonLink to="/studios/$studioId/posts" params={{ studioId: studio.id }}>
            Go to posts
          </ButtonLink>
          <ButtonLink variant="secondary" to="/studios/$studioId/connect" params={{ studioId: studio.id }}>
            Connect an AI client
          </ButtonLink>
        </>
      }
    >
      Images, videos and documents appear here. Drop files on this page or on a post, or ask a connected AI client to
      add some.
    </EmptyState>
  );
}
