import { days } from "#lib/clock.ts";
import type { Asset } from "../assets/model/asset.ts";

/** How long deleted posts and assets can be restored. */
export const trashLifetime = days(30);

export interface TrashMark {
  at: number;
  expiresAt: number;
  by: string | null;
  clientName: string | null;
}

export interface TrashItem extends TrashMark {
  id: string;
  type: "post" | "asset";
  title: string;
  byName: string | null;
}

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
