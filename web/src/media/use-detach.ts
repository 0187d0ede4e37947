import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { attachAsset, detachAsset } from "../api/mutations.ts";
import { refreshQueries, type Asset, type Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { mergeOrder } from "./merge-order.ts";
import { useToast } from "../ui/Toasts.tsx";
import { useAction } from "../ui/use-action.ts";

/** Removes a file from a post. A toast offers Undo, which puts the file back at its position. */
export function useDetach(post: Post, onDetached: () => void) {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const showToast = useToast();
  const { error, run } = useAction();
  /** Includes the files that were removed before, so that Undo can restore each at its position. */
  const lastOrder = useRef<readonly string[]>([]);

  const detach = (asset: Asset) =>
    run(async () => {
      const order = mergeOrder(
        lastOrder.current,
        post.assets.map(({ id }) => id),
      );
      lastOrder.current = order;
      await detachAsset(studio.id, post.id, asset.id);
      await refreshQueries(queryClient, studio.id);
      onDetached();
      const reattach = () =>
        run(async () => {
          await attachAsset(studio.id, post.id, asset.id, order);
          await refreshQueries(queryClient, studio.id);
        });
      showToast({
        text: `Removed ${asset.filename} from the post. Still in your library.`,
        action: { label: "Undo", run: () => void reattach() },
      });
    });

  return { detach, error };
}
