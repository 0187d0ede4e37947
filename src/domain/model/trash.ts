import { days } from "#lib/clock.ts";

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
