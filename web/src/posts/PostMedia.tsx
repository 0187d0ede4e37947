import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useRef, useState } from "react";
import { attachAsset, detachAsset, updatePost } from "../api/changes.ts";
import { refresh, type Asset, type Post } from "../api/queries.ts";
import { AssetDialog } from "../assets/AssetDialog.tsx";
import { AssetPicture } from "../assets/AssetPicture.tsx";
import { useDeleteAsset } from "../assets/use-delete-asset.tsx";
import { measures } from "../assets/words.ts";
import { useStudio } from "../frame/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { Failure } from "../ui/Failure.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { Waiting } from "../ui/Waiting.tsx";
import { LibraryPicker } from "./LibraryPicker.tsx";
import { rememberOrder } from "./remember-order.ts";
import { UploadLinks } from "./UploadLinks.tsx";

/** Comes after the page: reading and writing do not wait for it. */
const UploadHere = lazy(async () => ({ default: (await import("./UploadHere.tsx")).UploadHere }));

/** The files of a post in their order. What assistants and the upload page attach appears by itself. */
export function PostMedia({ post, onChange }: { post: Post; onChange: (post: Post) => void }) {
  const { studio, may } = useStudio();
  const queries = useQueryClient();
  const say = useToast();
  const cancelUpload = useDeleteAsset();
  const [error, setError] = useState<unknown>();
  const [openId, setOpenId] = useState<string>();
  const [picking, setPicking] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const knownOrder = useRef<readonly string[]>([]);
  const { assets } = post;
  const open = assets.find(({ id }) => id === openId);

  async function attempt(work: () => Promise<void>): Promise<void> {
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(failure);
    }
  }

  const move = (from: number, to: number) =>
    attempt(async () => {
      const order = assets.map(({ id }) => id);
      order.splice(to, 0, ...order.splice(from, 1));
      onChange(await updatePost(studio.id, post.id, { assetIds: order }));
    });

  const detach = (asset: Asset) =>
    attempt(async () => {
      const order = rememberOrder(
        knownOrder.current,
        assets.map(({ id }) => id),
      );
      knownOrder.current = order;
      await detachAsset(studio.id, post.id, asset.id);
      await refresh(queries, studio.id);
      heading.current?.focus({ preventScroll: true }); // the button that had the focus is gone
      const putBack = () =>
        attempt(async () => {
          await attachAsset(studio.id, post.id, asset.id, order);
          await refresh(queries, studio.id);
        });
      say({
        text: "Removed from post. Still in your library.",
        undo: { label: "Undo", run: () => void putBack() },
      });
    });

  return (
    <section className="media" aria-labelledby="media">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 id="media" ref={heading} tabIndex={-1} className="text-2xl outline-none">
          Files
        </h2>
        {may("assets.write") && (
          <Button look="quiet" onClick={() => setPicking(true)}>
            Add from library
          </Button>
        )}
      </div>
      {error !== undefined && <Failure error={error} />}
      {assets.length === 0 && <p className="mt-0 text-muted">Nothing is attached yet.</p>}
      <ol className="asset-grid">
        {assets.map((asset, i) => (
          <li key={asset.id}>
            <button type="button" className="bare tile" onClick={() => setOpenId(asset.id)}>
              <AssetPicture asset={asset} />
              <span className="truncate">{asset.filename}</span>
              <span className="text-sm text-muted">{measures(asset)}</span>
              {asset.kind === "image" && asset.altText === undefined && (
                <span className="text-sm text-accent">Add alt text</span>
              )}
            </button>
            {may("assets.write") && (
              <div className="tile-actions">
                {assets.length > 1 && (
                  <>
                    <Button
                      look="quiet"
                      aria-disabled={i === 0}
                      onClick={() => i > 0 && void move(i, i - 1)}
                      aria-label={`Move ${asset.filename} earlier`}
                    >
                      ←
                    </Button>
                    <Button
                      look="quiet"
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
                    look="quiet"
                    onClick={() => cancelUpload(asset)}
                    aria-label={`Cancel upload of ${asset.filename}`}
                  >
                    Cancel upload
                  </Button>
                ) : (
                  <Button
                    look="quiet"
                    onClick={() => void detach(asset)}
                    aria-label={`Remove ${asset.filename} from post`}
                  >
                    Remove
                  </Button>
                )}
              </div>
            )}
          </li>
        ))}
      </ol>
      {may("assets.write") && post.status !== "archived" && (
        <div className="mt-6">
          <Suspense fallback={<Waiting />}>
            <UploadHere post={post} />
          </Suspense>
        </div>
      )}
      <UploadLinks post={post} />
      {open && <AssetDialog asset={open} onClose={() => setOpenId(undefined)} />}
      {picking && <LibraryPicker postId={post.id} onClose={() => setPicking(false)} />}
    </section>
  );
}
