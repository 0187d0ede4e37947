import { days } from "#lib/clock.ts";
import type { RevisionAsset } from "./asset.ts";
import type { Post } from "./post.ts";

/** What is stored about who made a change. */
export interface Author {
  /** Null if the user is unknown. */
  userId: string | null;
  /** Null for changes in the web app, like the next two fields. */
  grantId: string | null;
  clientId: string | null;
  clientName: string | null;
  /** The id of the activity row of the undo that made the change; null for other changes. */
  undoId: string | null;
}

export const revisionFields = ["title", "body", "status", "variants", "tags", "assets", "trashed"] as const;
export type RevisionField = (typeof revisionFields)[number];

/** A post after one change. */
export interface Revision
  extends Author, Pick<Post, "title" | "body" | "status" | "variants" | "tags" | "isTrashed" | "crops"> {
  revision: number;
  at: number;
  userName: string | null;
  /** The revision whose content this one restored; null for other changes. */
  restoredRevision: number | null;
  /** Which fields differ from the previous revision. */
  changed: RevisionField[];
  /** In the order of the post. */
  assets: RevisionAsset[];
}

/** The fields of a post that undo compares. In the history, a change of crops is a change of the assets. */
export type StepField = RevisionField | "crops";

/** A revision without its text. */
export interface RevisionStep {
  revision: number;
  /** Whether the revision is among the changes to undo. */
  isSelected: boolean;
  changed: StepField[];
  /** Ids in the order of the post. */
  assetIds: string[];
}

export type AssetField = "altText" | "filename" | "tags" | "postId" | "trashed";

/** A change of one field of an asset. `trashed` is "0" or "1"; `tags` is a JSON array. */
export interface AssetFieldChange {
  field: AssetField;
  before: string | null;
  after: string | null;
}

/** How long changes of assets and comments are kept: longer than they can be undone. */
export const changeLifetime = days(31);
