import { days } from "#lib/clock.ts";
import type { AssetKind } from "../assets/model/kinds.ts";
import type { PostStatus } from "../posts/post.ts";
import type { Variant } from "../posts/variant.ts";
import type { Crop } from "../renditions/crop.ts";

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
export interface Revision extends Author {
  revision: number;
  at: number;
  userName: string | null;
  /** The revision whose content this one restored; null for other changes. */
  restoredRevision: number | null;
  title: string;
  body: string;
  status: PostStatus;
  variants: Variant[];
  tags: string[];
  isTrashed: boolean;
  /** Which fields differ from the previous revision. */
  changed: RevisionField[];
  /** In the order of the post. */
  assets: RevisionAsset[];
  crops: Crop[];
}

export interface RevisionAsset {
  id: string;
  kind: AssetKind;
  mimeType: string;
  filename: string;
  altText: string | null;
}

/** The changes to undo: those of a user's AI client since a time, or those that an earlier undo made. */
export type ChangeSelection = ({ userId: string; clientId: string; since: number } | { undoId: string }) & {
  /** The undo that is running. The changes that it has made so far do not count as changes by others. */
  runningUndoId?: string;
};

/** Where the next page of changes starts. Only the store reads it. */
export interface ChangeCursor {
  at: number;
  position: string | number;
}

/** Ids of objects that have changed, in no particular order. An id can be on several pages, and on one page twice. */
export interface ChangedIds {
  ids: string[];
  /** Undefined on the last page. */
  next: ChangeCursor | undefined;
}

/** Lists the objects of a studio with selected changes, reading at most `limit` changes. */
export type ListChangedIds = (
  studioId: string,
  selection: ChangeSelection,
  after: ChangeCursor | undefined,
  limit: number,
) => Promise<ChangedIds>;

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

export interface RecordOptions {
  collapseSince?: number | undefined;
  haveAssetsChanged?: boolean;
  restoredRevision?: number;
}

/** For `changePost`. */
export interface RevisionWrites {
  /**
   * Writes the snapshot of the post's current revision.
   * - `collapseSince`: the change is an autosave. If the previous revision is an autosave of the same user, in a series
   *   that started after this time, the snapshot replaces it, unless a publication of it was approved.
   * - `haveAssetsChanged`: the list of assets, one of their texts, or a crop has changed.
   * - `restoredRevision`: the change is the restore of this revision.
   * Returns whether the post has publications that the change can affect, including those that have started.
   */
  record(postId: string, author: Author, options?: RecordOptions): Promise<boolean>;
}

export interface RevisionStore {
  /** Newest first, older than `before`, until the texts exceed `maxTextLength` characters; at least one revision. */
  list(
    postId: string,
    filter: { before?: number | undefined; limit: number; maxTextLength: number },
  ): Promise<{ revisions: Revision[]; hasMore: boolean }>;
  find(postId: string, revision: number): Promise<Revision | undefined>;
  listPostIds: ListChangedIds;
  /** The revision before the first selected one, if there is one, and all later revisions, oldest first. */
  listSteps(postId: string, selection: ChangeSelection): Promise<RevisionStep[]>;
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

/** For the writers of assets. */
export interface AssetChangeWrites {
  /** `asset.changeCount` is the count after the change; it orders the changes of an asset. */
  record(
    asset: { id: string; studioId: string; changeCount: number },
    at: number,
    author: Author,
    changes: readonly AssetFieldChange[],
  ): Promise<void>;
}

export interface AssetChangeStore {
  listAssetIds: ListChangedIds;
  /** All changes from the first selected one on, oldest first. */
  listSteps(assetId: string, selection: ChangeSelection): Promise<(AssetFieldChange & { isSelected: boolean })[]>;
}
