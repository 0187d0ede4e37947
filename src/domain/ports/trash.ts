import type { Asset } from "../model/asset.ts";
import type { TimePosition } from "../model/page.ts";
import type { TrashItem } from "../model/trash.ts";

export interface TrashStore {
  /** Items that have not expired, most recently deleted first. Assets on trashed posts are part of their post. */
  list(studioId: string, now: number, after: TimePosition | undefined, limit: number): Promise<TrashItem[]>;
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
  expire(items: readonly TimePosition[], now: number): Promise<number>;
}
