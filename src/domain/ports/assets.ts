import type { AssetKind } from "../model/asset-kinds.ts";
import type { Asset, MediaMetadata, ReadyAsset, UploadingAsset } from "../model/asset.ts";
import type { TrashMark } from "../model/trash.ts";
import type { SearchSource } from "./search.ts";

export interface AssetFilter {
  /** If true, only assets that are on no post; if false, only assets on a post. */
  unattached?: boolean | undefined;
  kind?: AssetKind | undefined;
  withTrash?: boolean;
  /** The id of an asset; only assets created before it. */
  before?: string | undefined;
  limit: number;
}

/** The file key that a pending asset's bytes will be promoted to, and the version of those bytes. */
export interface Claim {
  storageKey: string;
  sourceVersion: string;
}

export interface ConfirmedFile extends MediaMetadata {
  bytes: number;
  version: string;
  sha256: string | null;
}

/** The kind, type and name of a file, as the content check determined them. */
export type RecognizedFile = Pick<Asset, "kind" | "mimeType" | "filename">;

export interface AssetStore {
  /** Does not find assets in the trash. */
  find(studioId: string, assetId: string): Promise<Asset | undefined>;
  /** Also finds assets in the trash. */
  findWithTrash(studioId: string, assetId: string): Promise<Asset | undefined>;
  /** Newest first. */
  list(studioId: string, filter: AssetFilter): Promise<Asset[]>;
  readonly search: SearchSource<Asset, Pick<AssetFilter, "unattached" | "kind">>;
  /** Lists the assets of these posts, even of posts in the trash, sorted by position within each post. */
  listByPosts(postIds: readonly string[]): Promise<Asset[]>;
  getUsedBytes(studioId: string): Promise<number>;
  /** Whether any studio has a ready asset, even in the trash. If one does, the file store can't be empty. */
  hasReadyAssets(): Promise<boolean>;
  /** Pending assets whose upload expired at `latestExpiry` or earlier, sorted by that time, except those of some studios. */
  listExpired(latestExpiry: number, exceptStudioIds: readonly string[], limit: number): Promise<Asset[]>;
  /** Ready assets of all studios with ids greater than `afterId`, sorted by id; includes those in the trash. */
  listStored(
    afterId: string,
    limit: number,
  ): Promise<Pick<Asset, "id" | "studioId" | "storageKey" | "bytes" | "version">[]>;
  /** The assets with these ids that still have a record; includes those in the trash. */
  findInAllStudios(
    assetIds: readonly string[],
  ): Promise<Pick<Asset, "id" | "status" | "storageKey" | "trashExpiresAt">[]>;
}

/** Outside a transaction, because a claim is only a step of `confirmPresignedUpload`: it reserves a key, like `reserve`. */
export interface UploadClaimStore {
  /** Stores the claim of a pending asset; false if the asset is not pending or its claimed key is not `previousKey`. */
  claim(assetId: string, previousKey: string | null, claim: Claim): Promise<boolean>;
}

/**
 * For the writers of assets. Most changes are conditional on the asset's current state; they return false or undefined if
 * they did not apply. Rows are locked in the order post, asset, studio, to avoid deadlocks.
 */
export interface AssetWrites {
  insert(asset: Asset): Promise<void>;
  /** Marks a pending asset ready and attaches it; undefined if the asset is not pending or its claim differs. */
  confirmAndAttach(
    assetId: string,
    claim: Claim,
    file: ConfirmedFile,
    position: PostPosition,
  ): Promise<ReadyAsset | undefined>;
  /**
   * Marks an uploading asset ready. Its file key, post and position do not change. Returns undefined if its status,
   * filename, post, upload or charged bytes have changed since it was read.
   */
  confirmUploaded(asset: UploadingAsset, file: ConfirmedFile & RecognizedFile): Promise<ReadyAsset | undefined>;
  /** Returns undefined if the asset is not ready, already on a post, or in the trash. */
  attach(studioId: string, assetId: string, position: PostPosition): Promise<ReadyAsset | undefined>;
  /** Returns undefined if the asset is not ready, or not on this post. */
  detach(studioId: string, assetId: string, postId: string): Promise<ReadyAsset | undefined>;
  /** Skips assets that are not on this post. */
  setPositions(postId: string, positions: readonly { assetId: string; position: number }[]): Promise<void>;
  /**
   * Changes an asset, which may be in the trash. Returns undefined if the asset has changed since it was read, or if
   * its time in the trash has expired. Only a ready asset that is on no post can be moved to the trash or restored.
   */
  update(asset: Asset, change: AssetChange, now: number): Promise<Asset | undefined>;
  /** Moves all assets of a post to the trash together with the post, or restores them if `trash` is null. */
  setTrashOfPostAssets(postId: string, trash: TrashMark | null): Promise<void>;
  /**
   * Deletes the record, even if the asset is in the trash. Returns false if its status, post, file key, charged bytes
   * or trash mark has changed since it was read.
   */
  remove(asset: Asset): Promise<boolean>;
  /**
   * Changes the charged bytes in a pending asset's record, not the studio's used bytes. Returns false if the asset is
   * not pending, or its charged bytes are not `fromBytes`.
   */
  changeCharge(assetId: string, fromBytes: number, toBytes: number): Promise<boolean>;
  /** Adds to the studio's used bytes; returns false and changes nothing if the sum would exceed `limit`. */
  charge(studioId: string, bytes: number, limit: number | undefined): Promise<boolean>;
}

export interface PostPosition {
  postId: string;
  position: number;
}

export type AssetChange = Partial<Pick<Asset, "altText" | "filename" | "tags">> & {
  /** Null restores the asset from the trash. */
  trash?: TrashMark | null;
};

/** An asset that uses a file, and the post that it is on. */
export interface FileUse {
  assetId: string;
  filename: string;
  post: { id: string; title: string } | null;
}

/** Files that several assets can use. */
export interface SharedFileStore {
  /** The assets of a file, newest first; without those in the trash. */
  listAssets(studioId: string, fileKey: string, limit: number): Promise<FileUse[]>;
  /** Returns the keys among these that an asset uses, in the trash or not. */
  listUsedKeys(fileKeys: readonly string[]): Promise<string[]>;
}

/** For files of copied assets, the store counts the assets that use them. */
export interface SharedFileWrites {
  /** Locks a ready asset until the transaction ends; undefined if the asset is in the trash or not ready. */
  lockAsset(studioId: string, assetId: string): Promise<ReadyAsset | undefined>;
  /** Adds one to the number of assets that use the file of a locked asset. */
  incrementAssetCount(lockedAsset: ReadyAsset): Promise<void>;
  /** Called after the transaction has deleted an asset of the file. Returns whether the file has no assets left. */
  decrementAssetCount(fileKey: string): Promise<boolean>;
}

/** Keys in the file store that belong to no asset: reserved for a new asset, or left over from a deleted one. */
export interface StrayFileStore {
  /** Call before writing to a new key. After `dueAt`, the sweeper removes the bytes unless an asset claimed the key. */
  reserve(key: string, dueAt: number): Promise<void>;
  /**
   * Ends the reservation of a key that this transaction gives to an asset. Returns false if the key is marked for
   * deletion or not reserved.
   */
  claimForAsset(key: string): Promise<boolean>;
  /** From now on, no asset can claim these keys. The sweeper removes their bytes after `dueAt`. */
  markForDeletion(keys: readonly string[], dueAt: number): Promise<void>;
  /** Finds keys that are due at `now`, marks them for deletion and returns them. */
  markDueKeysForDeletion(now: number, limit: number): Promise<string[]>;
  /** Deletes the records of marked keys. Call after removing their bytes. */
  deleteRecords(keys: readonly string[]): Promise<void>;
}
