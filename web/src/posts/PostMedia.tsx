import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useRef, useState } from "react";
import { attachAsset, detachAsset, updatePost } from "../api/mutations.ts";
import { refreshQueries, type Asset, type Post } from "../api/queries.ts";
import { AssetDialog } from "../assets/AssetDialog.tsx";
import { AssetGrid, AssetGridItem, AssetTile } from "../assets/AssetGrid.tsx";
import { useDeleteAsset } from "../assets/use-delete-asset.tsx";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { Loading } from "../ui/Loading.tsx";
import { useAction } from "../ui/use-action.ts";
import { LibraryPicker } from "./LibraryPicker.tsx";
import { mergeOrder } from "./merge-order.ts";
import { UploadLinks } from "./UploadLinks.tsx";

/** Loaded on demand, so that reading and editing do not wait for it. */
const PostUploader = lazy(async () => ({ default: (await import("./PostUploader.tsx")).PostUploader }));

/** The files of a post, in order. */
export function PostMedia({ post, onChange }: { post: Post; onChange: (post: Post) => void }) {
  const { studio, may } = useStudio();
  const queryClient = useQueryClient();
  const showToast = useToast();
  const cancelUpload = useDeleteAsset();
  const { error, run } = useAction();
  const [openId, setOpenId] = useState<string>();
  const [isPicking, setIsPicking] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const lastOrder = useRef<readonly string[]>([]);
  const { assets } = post;
  const openAsset = assets.find(({ id }) => id === openId);

  const move = (from: number, to: number) =>
    run(async () => {
      const order = assets.map(({ id }) => id);
      order.splice(to, 0, ...order.splice(from, 1));
      onChange(await updatePost(studio.id, post.id, { assetIds: order }));
    });

  const detach = (asset: Asset) =>
    run(async () => {
      const order = mergeOrder(
        lastOrder.current,
        assets.map(({ id }) => id),
      );
      lastOrder.current = order;
      await detachAsset(studio.id, post.id, asset.id);
      await refreshQueries(queryClient, studio.id);
      heading.current?.focus({ preventScroll: true }); // the focused button no longer exists
      const reattach = () =>
        run(async () => {
          await attachAsset(studio.id, post.id, asset.id, order);
          await refreshQueries(queryClient, studio.id);
        });
      showToast({
        text: "Removed from post. Still in your library.",
        undo: { label: "Undo", run: () => void reattach() },
      });
    });

  return (
    <section className="mt-12 border-t border-rule pt-8" aria-labelledby="media">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 id="media" ref={heading} tabIndex={-1} className="text-2xl outline-none">
          Files
        </h2>
        {may("assets.write") && (
          <Button variant="quiet" onClick={() => setIsPicking(true)}>
            Add from library
          </Button>
        )}
      </div>
      {error !== undefined && <ErrorMessage error={error} />}
      {assets.length === 0 && <p className="mt-0 text-muted">No files attached yet.</p>}
      <AssetGrid isOrdered>
        {assets.map((asset, i) => (
          <AssetGridItem key={asset.id}>
            <AssetTile asset={asset} onOpen={() => setOpenId(asset.id)}>
              {asset.kind === "image" && asset.altText === undefined && (
                <span className="text-sm text-accent">Add alt text</span>
              )}
            </AssetTile>
            {may("assets.write") && (
              <div className="mt-auto flex flex-wrap gap-1 pt-2 [&>button]:min-w-10 [&>button]:px-2">
                {assets.length > 1 && (
                  <>
                    <Button
                      variant="quiet"
                      aria-disabled={i === 0}
                      onClick={() => i > 0 && void move(i, i - 1)}
                      aria-label={`Move ${asset.filename} earlier`}
                    >
                      ←
                    </Button>
                    <Button
                      variant="quiet"
                      aria-disabled={i === assets.length - 1}
                      onClick={() => i < assets.length - 1 && void move(i, i + 1)}
                      aria-label={`Move ${asset.filename} later`}
                    >
                      →
                    </Button>
                  </>
                )}
                {asset.status === "pending" ? (
                  <Button
                    variant="quiet"
                    onClick={() => cancelUpload(asset)}
                    aria-label={`Cancel upload of ${asset.filename}`}
                  >
                    Cancel upload
                  </Button>
                ) : (
                  <Button
                    variant="quiet"
                    onClick={() => void detach(asset)}
                    aria-label={`Remove ${asset.filename} from post`}
                  >
                    Remove
                  </Button>
                )}
              </div>
            )}
          </AssetGridItem>
        ))}
      </AssetGrid>
      {may("assets.write") && post.status !== "archived" && (
        <div className="mt-6">
          <Suspense fallback={<Loading />}>
            <PostUploader post={post} />
          </Suspense>
        </div>
      )}
      <UploadLinks post={post} />
      {openAsset && <AssetDialog asset={openAsset} onClose={() => setOpenId(undefined)} />}
      {isPicking && <LibraryPicker postId={post.id} onClose={() => setIsPicking(false)} />}
    </section>
  );
}
