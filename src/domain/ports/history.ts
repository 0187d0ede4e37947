import type { AssetFieldChange, Author, Revision, RevisionStep } from "../model/revision.ts";

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
   * Returns whether the post has publications that the change can affect, including those that have started, and
   * whether guests have decided about it.
   */
  record(
    postId: string,
    author: Author,
    options?: RecordOptions,
  ): Promise<{ hasPublications: boolean; hasReviews: boolean }>;
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
