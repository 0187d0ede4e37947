import { useState } from "react";
import type { Asset } from "../api/queries.ts";
import { postSummariesQuery } from "../api/summary-queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { PostStateBadge } from "../posts/PostStateBadge.tsx";
import { describeNoMatch } from "../ui/describe-no-match.ts";
import { FormDialog } from "../ui/FormDialog.tsx";
import { PagedList } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import { formatFileCount } from "./labels.ts";

interface TargetPost {
  id: string;
  title: string;
}

/** Lets the user choose the post that files are added to. Files on other posts are copied. */
export function AddToPostDialog({
  assets,
  onSubmit,
  onClose,
}: {
  assets: readonly Asset[];
  onSubmit: (post: TargetPost) => Promise<void>;
  onClose: () => void;
}) {
  const { studio } = useStudio();
  const [query, setQuery] = useState("");
  const [selectedPost, setSelectedPost] = useState<TargetPost>();
  const posts = usePagedList(postSummariesQuery(studio.id, query === "" ? {} : { query }));
  const currentPostIds = new Set(assets.map(({ postId }) => postId));
  // A file can only be added to a post that it is not on yet.
  const isTarget = ({ id }: TargetPost): boolean => !(assets.length === 1 && currentPostIds.has(id));
  const usedCount = assets.filter(({ postId }) => postId !== null).length;
  const isCopy = usedCount === assets.length;

  return (
    <FormDialog
      title={getTitle(assets, isCopy)}
      submitLabel={isCopy ? "Copy to post" : "Add to post"}
      busyLabel={isCopy ? "Copying…" : "Adding…"}
      canSubmit={selectedPost !== undefined}
      onSubmit={async () => selectedPost && (await onSubmit(selectedPost))}
      onClose={onClose}
    >
      {usedCount > 0 && (
        <p className="mt-2 text-muted">{isCopy ? describeCopies(usedCount) : describeUsedFiles(usedCount)}</p>
      )}
      <div className="mt-4 mb-2 flex">
        <SearchField label="Search posts" query={query} onSearch={setQuery} isWide />
      </div>
      <PagedList
        list={{ ...posts, items: posts.items.filter(isTarget) }}
        autoLoadingLabel="Searching older posts…"
        empty={
          <p className="text-muted [overflow-wrap:anywhere]">
            {query === "" ? "No other posts. Create a post first." : describeNoMatch("posts", { q: query })}
          </p>
        }
      >
        {(items) => (
          <div
            role="radiogroup"
            aria-label="Posts"
            className="-mx-2 grid max-h-[45vh] grid-cols-[auto_minmax(0,1fr)_auto_auto] gap-x-3 overflow-auto px-2 py-0.5 max-sm:grid-cols-[auto_minmax(0,1fr)_auto]"
          >
            {items.map((post) => (
              <label
                key={post.id}
                className="relative col-span-full grid min-h-11 cursor-pointer grid-cols-subgrid items-center rounded-md px-2 py-1.5 font-normal hover:bg-hover has-checked:bg-wash"
              >
                <input
                  type="radio"
                  name="target-post"
                  className="m-0"
                  checked={selectedPost?.id === post.id}
                  onChange={() => setSelectedPost(post)}
                />
                <span className="line-clamp-2 min-w-0 font-medium [overflow-wrap:anywhere]">{post.title}</span>
                <PostStateBadge post={post} />
                <span className="text-right text-sm whitespace-nowrap text-muted max-sm:hidden">
                  <RelativeTime at={post.updatedAt} timezone={studio.timezone} />
                </span>
              </label>
            ))}
          </div>
        )}
      </PagedList>
    </FormDialog>
  );
}

const describeCopies = (count: number): string =>
  count === 1
    ? "The file stays on its post. The copy shares the stored file and uses no more space."
    : "The files stay on their posts. The copies share the stored files and use no more space.";

const describeUsedFiles = (count: number): string =>
  count === 1
    ? "1 file is already used in a post, so this post gets a copy."
    : `${count} files are already used in a post, so this post gets copies.`;

function getTitle(assets: readonly Asset[], isCopy: boolean): string {
  const [asset] = assets;
  const subject = assets.length === 1 && asset ? asset.filename : formatFileCount(assets.length);
  return isCopy ? `Copy ${subject} to a post` : `Add ${subject} to a post`;
}
