import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId, type ReactNode } from "react";
import { assetQuery, type Asset, type AssetUsage } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";

/** The posts that have this file or a copy of it, and the copies in the library. */
export function AssetUses({
  asset,
  onOpenCopy,
}: {
  asset: Asset;
  onOpenCopy: ((assetId: string) => void) | undefined;
}) {
  const { studio } = useStudio();
  const headingId = useId();
  const { data, error } = useQuery(assetQuery(studio.id, asset.id));
  const isUnused = data?.post === null && data.copies.length === 0;
  return (
    <section aria-labelledby={headingId}>
      <h3 id={headingId}>Where it’s used</h3>
      {error && <ErrorMessage error={error} />}
      {isUnused && <p className="m-0 mt-1 text-muted">Not used in a post yet.</p>}
      {data && !isUnused && (
        <ul className="mt-1 grid gap-1">
          {data.post && (
            <PostUse post={data.post}>
              <span className="text-muted">· this file</span>
            </PostUse>
          )}
          {data.copies.map((copy) => (
            <CopyUse key={copy.assetId} copy={copy} onOpenCopy={onOpenCopy} />
          ))}
        </ul>
      )}
      {data?.hasMoreCopies && <p className="m-0 mt-1 text-muted">And more copies.</p>}
    </section>
  );
}

function PostUse({ post, children }: { post: NonNullable<AssetUsage["post"]>; children: ReactNode }) {
  const { studio } = useStudio();
  return (
    <li className="[overflow-wrap:anywhere]">
      <Link to="/studios/$studioId/posts/$postId" params={{ studioId: studio.id, postId: post.id }}>
        {post.title}
      </Link>{" "}
      {children}
    </li>
  );
}

function CopyUse({
  copy,
  onOpenCopy,
}: {
  copy: AssetUsage["copies"][number];
  onOpenCopy: ((assetId: string) => void) | undefined;
}) {
  const { studio } = useStudio();
  const link = (
    <Link
      to="/studios/$studioId/assets"
      params={{ studioId: studio.id }}
      search={{ file: copy.assetId }}
      onClick={(event) => {
        if (!onOpenCopy || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        onOpenCopy(copy.assetId);
      }}
    >
      {copy.post ? "copy" : "Unused copy"}
    </Link>
  );
  if (!copy.post) return <li>{link}</li>;
  return (
    <PostUse post={copy.post}>
      <span className="text-muted">· {link}</span>
    </PostUse>
  );
}
