import { useQuery } from "@tanstack/react-query";
import { trashQuery } from "../api/history-queries.ts";
import { assetQuery, postQuery } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";

interface Subject {
  /** Undefined while loading. */
  name: string | undefined;
  isTrashed: boolean;
  /** Whether a file is on a post. */
  isAttached: boolean;
}

/** Loads the name and state of a post or file, which may be in the trash. */
export function useSubject(type: "post" | "asset", id: string): Subject {
  const { studio } = useStudio();
  const trash = usePagedList({ ...trashQuery(studio.id), refetchInterval: false });
  const trashItem = trash.items.find((item) => item.id === id);
  const isOutsideTrash = !trash.query.isPending && !trashItem;
  const options = { refetchInterval: false, retry: false } as const;
  const post = useQuery({ ...postQuery(studio.id, id), ...options, enabled: isOutsideTrash && type === "post" });
  const asset = useQuery({ ...assetQuery(studio.id, id), ...options, enabled: isOutsideTrash && type === "asset" });
  if (trashItem) return { name: trashItem.title, isTrashed: true, isAttached: false };
  const isLoading = trash.query.isPending || (type === "post" ? post : asset).isPending;
  const name = type === "post" ? post.data?.title : asset.data?.filename;
  const fallbackName = isLoading ? undefined : `A deleted ${type === "post" ? "post" : "file"}`;
  const isAttached = typeof asset.data?.postId === "string";
  return { name: name ?? fallbackName, isTrashed: false, isAttached };
}
