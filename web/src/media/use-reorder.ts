import { useRef, useState } from "react";
import { updatePost } from "../api/mutations.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { mergeOrder } from "./merge-order.ts";
import { useAction } from "../ui/use-action.ts";

/**
 * Saves a new order of a post's files, one request at a time. The last change wins. Until the server has it, the files
 * are shown in the new order.
 */
export function useReorder(post: Post, onSaved: (post: Post) => void) {
  const { studio } = useStudio();
  const { error, run } = useAction();
  const [unsavedOrder, setUnsavedOrder] = useState<readonly string[]>();
  const nextOrder = useRef<string[] | undefined>(undefined);
  const isSaving = useRef(false);

  async function saveAll(): Promise<void> {
    isSaving.current = true;
    try {
      while (nextOrder.current) {
        const assetIds = nextOrder.current;
        nextOrder.current = undefined;
        onSaved(await updatePost(studio.id, post.id, { assetIds }));
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
    /** `order` may lack files, which stay after the file that precedes them now. */
    reorder: (order: readonly string[]) => {
      const assetIds = mergeOrder(currentOrder, order);
      nextOrder.current = assetIds;
      setUnsavedOrder(assetIds);
      if (!isSaving.current) void run(saveAll);
    },
  };
}
