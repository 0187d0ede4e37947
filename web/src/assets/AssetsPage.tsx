import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, linkOptions } from "@tanstack/react-router";
import { useState } from "react";
import { assetsQuery, type AssetFilter } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { assetKinds } from "../search-params.ts";
import { EmptyState } from "../ui/EmptyState.tsx";
import { FilterTabs } from "../ui/FilterTabs.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { ShowMore } from "../ui/ShowMore.tsx";
import { AssetDialog } from "./AssetDialog.tsx";
import { AssetImage } from "./AssetImage.tsx";
import { formatMediaMetadata } from "./labels.ts";

const route = getRouteApi("/studios/$studioId/assets");

const kindLabels = { image: "Images", video: "Videos", document: "Documents" } as const;

export function AssetsPage() {
  const { studio } = useStudio();
  const filter = route.useSearch();
  const assets = useInfiniteQuery(assetsQuery(studio.id, filter));
  const [openId, setOpenId] = useState<string>();
  const loadedAssets = assets.data?.pages.flatMap((page) => page.assets) ?? [];
  const openAsset = loadedAssets.find(({ id }) => id === openId);

  return (
    <>
      <PageHeader title="Assets">All files in this studio, newest first.</PageHeader>
      <div className="toolbar">
        <KindTabs filter={filter} />
        <UnattachedSwitch filter={filter} />
      </div>
      <QueryStatus query={assets} />
      <ul className="asset-grid" aria-label="Assets">
        {loadedAssets.map((asset) => (
          <li key={asset.id}>
            <button type="button" className="bare tile" onClick={() => setOpenId(asset.id)}>
              <AssetImage asset={asset} />
              <span className="truncate">{asset.filename}</span>
              <span className="text-sm text-muted">{formatMediaMetadata(asset)}</span>
            </button>
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
          </li>
        ))}
      </ul>
      {assets.isSuccess && loadedAssets.length === 0 && <NoAssets filter={filter} />}
      <ShowMore query={assets} />
      {openAsset && <AssetDialog asset={openAsset} onClose={() => setOpenId(undefined)} />}
    </>
  );
}

function KindTabs({ filter }: { filter: AssetFilter }) {
  const { studio } = useStudio();
  const { kind: _, ...others } = filter;
  const toLink = (nextSearch: AssetFilter) =>
    linkOptions({ to: "/studios/$studioId/assets", params: { studioId: studio.id }, search: nextSearch });
  return (
    <FilterTabs
      label="Filter by kind"
      tabs={[
        { label: "All", link: toLink(others), current: filter.kind === undefined },
        ...assetKinds.map((kind) => ({
          label: kindLabels[kind],
          link: toLink({ ...others, kind }),
          current: filter.kind === kind,
        })),
      ]}
    />
  );
}

function UnattachedSwitch({ filter }: { filter: AssetFilter }) {
  const navigate = route.useNavigate();
  return (
    <label className="choice" htmlFor="unattached">
      <input
        id="unattached"
        type="checkbox"
        checked={filter.unattached !== undefined}
        onChange={({ target }) =>
          void navigate({
            search: ({ unattached: _, ...others }) => (target.checked ? { ...others, unattached: "true" } : others),
          })
        }
      />
      Unused only
    </label>
  );
}

function NoAssets({ filter }: { filter: AssetFilter }) {
  const { studio } = useStudio();
  if (Object.keys(filter).length > 0) {
    return (
      <EmptyState title="No matching files">
        <p>
          <Link to="/studios/$studioId/assets" params={{ studioId: studio.id }}>
            Show all files
          </Link>
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No files yet">
      <p className="text-muted">
        Images, videos and documents appear here. Open a post and drop files on it, or ask a connected AI client to add
        some.
      </p>
      <p className="flex flex-wrap gap-3">
        <Link className="button" to="/studios/$studioId/posts" params={{ studioId: studio.id }}>
          Go to posts
        </Link>
        <Link className="button secondary" to="/studios/$studioId/connect" params={{ studioId: studio.id }}>
          Connect an AI client
        </Link>
      </p>
    </EmptyState>
  );
}
