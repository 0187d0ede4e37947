import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { assetsQuery, type AssetFilter } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { assetKinds } from "../search.ts";
import { Button } from "../ui/Button.tsx";
import { Empty } from "../ui/Empty.tsx";
import { Failure } from "../ui/Failure.tsx";
import { PageHead } from "../ui/PageHead.tsx";
import { Waiting } from "../ui/Waiting.tsx";
import { AssetDialog } from "./AssetDialog.tsx";
import { AssetPicture } from "./AssetPicture.tsx";
import { measures } from "./words.ts";

const route = getRouteApi("/studios/$studioId/assets");

const kindWords = { image: "Pictures", video: "Videos", document: "Documents" } as const;

export function AssetsPage() {
  const { studio } = useStudio();
  const filter = route.useSearch();
  const assets = useInfiniteQuery(assetsQuery(studio.id, filter));
  const [openId, setOpenId] = useState<string>();
  const shown = assets.data?.pages.flatMap((page) => page.assets) ?? [];
  const open = shown.find(({ id }) => id === openId);

  return (
    <>
      <PageHead title="Assets">Every file of the studio, on a post or not. The newest is first.</PageHead>
      <div className="toolbar">
        <KindTabs filter={filter} />
        <UnattachedSwitch filter={filter} />
      </div>
      {assets.isPending && <Waiting />}
      {assets.isError && <Failure error={assets.error} onRetry={() => void assets.refetch()} />}
      <ul className="asset-grid" aria-label="Assets">
        {shown.map((asset) => (
          <li key={asset.id}>
            <button type="button" className="bare tile" onClick={() => setOpenId(asset.id)}>
              <AssetPicture asset={asset} />
              <span className="truncate">{asset.filename}</span>
              <span className="text-sm text-muted">{measures(asset)}</span>
            </button>
            <p className="m-0 text-sm text-muted">
              {asset.postId === null ? (
                "on no post"
              ) : (
                <Link
                  to="/studios/$studioId/posts/$postId"
                  params={{ studioId: studio.id, postId: asset.postId }}
                  aria-label={`${asset.filename} is on a post`}
                >
                  on a post
                </Link>
              )}
            </p>
          </li>
        ))}
      </ul>
      {assets.isSuccess && shown.length === 0 && <NoAssets filter={filter} />}
      {assets.hasNextPage && (
        <p className="mt-8">
          <Button
            look="quiet"
            onClick={() => void assets.fetchNextPage()}
            busy={assets.isFetchingNextPage && "Loading…"}
          >
            Show more
          </Button>
        </p>
      )}
      {open && <AssetDialog asset={open} onClose={() => setOpenId(undefined)} />}
    </>
  );
}

function KindTabs({ filter }: { filter: AssetFilter }) {
  const { studio } = useStudio();
  const { kind: _, ...others } = filter;
  const tabs = [
    { label: "All", to: others, current: filter.kind === undefined },
    ...assetKinds.map((kind) => ({ label: kindWords[kind], to: { ...others, kind }, current: filter.kind === kind })),
  ];
  return (
    <nav aria-label="By kind" className="tabs">
      {tabs.map(({ label, to, current }) => (
        <Link
          key={label}
          to="/studios/$studioId/assets"
          params={{ studioId: studio.id }}
          search={to}
          className={current ? "current" : ""}
          aria-current={current ? "page" : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
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
      Only those on no post
    </label>
  );
}

function NoAssets({ filter }: { filter: AssetFilter }) {
  const { studio } = useStudio();
  if (Object.keys(filter).length > 0) {
    return (
      <Empty title="Nothing found">
        <p>
          <Link to="/studios/$studioId/assets" params={{ studioId: studio.id }}>
            Show all assets
          </Link>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No files yet">
      <p className="text-muted">
        Pictures, videos and documents gather here. Open a post and drop files on it, or ask a connected assistant to
        add some.
      </p>
      <p className="flex flex-wrap gap-3">
        <Link className="button" to="/studios/$studioId/posts" params={{ studioId: studio.id }}>
          Go to posts
        </Link>
        <Link className="button secondary" to="/studios/$studioId/connect" params={{ studioId: studio.id }}>
          Connect an assistant
        </Link>
      </p>
    </Empty>
  );
}
