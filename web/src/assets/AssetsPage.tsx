import { getRouteApi, Link, linkOptions } from "@tanstack/react-router";
import { useState } from "react";
import { assetsQuery, type AssetFilter } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { assetKinds } from "../search-params.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { ChoiceField } from "../ui/Field.tsx";
import { PagedList, Toolbar } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { FilterTabs } from "../ui/Tabs.tsx";
import { AssetDialog } from "./AssetDialog.tsx";
import { AssetGrid, AssetGridItem, AssetTile } from "./AssetGrid.tsx";
import { UploadButton, UploadPanel, useUploadPanel } from "./UploadPanel.tsx";

const route = getRouteApi("/studios/$studioId/assets");

const kindLabels = { image: "Images", video: "Videos", document: "Documents" } as const;

export function AssetsPage() {
  const { studio, may } = useStudio();
  const filter = route.useSearch();
  const { kind: currentKind, ...otherFilters } = filter;
  const assets = usePagedList(assetsQuery(studio.id, filter));
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
              search: kind ? { ...otherFilters, kind } : otherFilters,
            })
          }
        />
        <UnattachedSwitch filter={filter} />
      </Toolbar>
      <PagedList list={assets} empty={<NoAssets filter={filter} />}>
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
              </AssetGridItem>
            ))}
          </AssetGrid>
        )}
      </PagedList>
      {openAsset && <AssetDialog asset={openAsset} onClose={() => setOpenId(undefined)} />}
    </>
  );
}

function UnattachedSwitch({ filter }: { filter: AssetFilter }) {
  const navigate = route.useNavigate();
  return (
    <ChoiceField
      type="checkbox"
      label="Unused only"
      checked={filter.unattached !== undefined}
      onChange={({ target }) =>
        void navigate({
          search: ({ unattached: _, ...others }) => (target.checked ? { ...others, unattached: "true" } : others),
        })
      }
    />
  );
}

function NoAssets({ filter }: { filter: AssetFilter }) {
  const { studio } = useStudio();
  if (Object.keys(filter).length > 0) {
    return (
      <EmptyState
        title="No matching files"
        actions={
          <Link to="/studios/$studioId/assets" params={{ studioId: studio.id }}>
            Show all files
          </Link>
        }
      />
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
