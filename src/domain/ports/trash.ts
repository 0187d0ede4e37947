import type { Asset } from "../model/asset.ts";
import type { TrashItem } from "../model/trash.ts";

/** The last item of the previous page. */
export type TrashPosition = Pick<TrashItem, "at" | "id">;

export interface TrashStore {
  /** Items that have not expired, most recently deleted first. Assets on trashed posts are part of their post. */
  list(studioId: string, now: number, after: TrashPosition | undefined, limit: number): Promise<TrashItem[]>;
  listExpiredPosts(
    now: number,
    exceptStudioIds: readonly string[],
    limit: number,
  ): Promise<{ id: string; studioId: string }[]>;
  /** Assets that are not on a post. */
  listExpiredAssets(now: number, exceptStudioIds: readonly string[], limit: number): Promise<Asset[]>;
}

export interface TrashWrites {
  /** Makes those of these items that were in the trash at `now` expire; returns their number. */
  expire(items: readonly TrashPosition[], now: number): Promise<number>;
}
