import { useRef, useState } from "react";
import { saveEdit } from "../api/mutations.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { mergeOrder } from "./merge-order.ts";
import { useAction } from "../ui/use-action.ts";

/**
 * Saves a new order of a post's files, one request at a time. Of the changes during a request, only the latest is
 * saved after it. Until then, the files are shown in the unsaved order.
 */
export function useReorder(post: Post, onSaved: (post: Post) => void) {
  const { studio } = useStudio();
  const { error, run } = useAction();
  const [unsavedOrder, setUnsavedOrder] = useState<readonly string[]>();
  const nextOrder = useRef<string[] | undefined>(undefined);
  const isSaving = useRef(false);

  async function saveLatestOrder(): Promise<void> {
    isSaving.current = true;
    try {
      while (nextOrder.current) {
        const assetIds = nextOrder.current;
        nextOrder.current = undefined;
        onSaved(await saveEdit({ studioId: studio.id, postId: post.id }, { assetIds }));
      }
    } finally {
      isSaving.current = false;
      nextOrder.current = undefined;
      setUnsavedOrder(undefined);
    }
  }

  const currentOrder = post.assets.map(({ id }) => id);
  const shownOrder = unsavedOrder ? mergeOrder(currentOrder, unsavedOrder) : currentOrder;
  return {
    assets: post.assets.toSorted((a, b) => shownOrder.indexOf(a.id) - shownOrder.indexOf(b.id)),
    error,
    /** A file that is missing from `order` stays after the file that precedes it now. */
    reorder: (order: readonly string[]) => {
      const assetIds = mergeOrder(currentOrder, order);
      nextOrder.current = assetIds;
      setUnsavedOrder(assetIds);
      if (!isSaving.current) void run(saveLatestOrder);
    },
  };
}
