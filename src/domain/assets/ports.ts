import type { Asset, UploadingAsset, MediaMetadata, ReadyAsset } from "./model/asset.ts";
import type { SearchSource } from "../search/ports.ts";
import type { TrashMark } from "../trash/ports.ts";
import type { AssetKind } from "./model/kinds.ts";

export interface AssetFilter {
  /** If true, only assets that are on no post; if false, only assets on a post. */
  unattached?: boolean | undefined;
  kind?: AssetKind | undefined;
  withTrash?: boolean;
  /** Only assets created before this one. */
  before?: string | undefined;
  limit: number;
}

/** The file key that a pending asset's bytes are promoted to, and the version of those bytes. */
export interface Claim {
  storageKey: string;
  sourceVersion: string;
}

export interface ConfirmedFile extends MediaMetadata {
  bytes: number;
  version: string;
  sha256: string | null;
}

/** What the content check found the file to be. */
export type RecognizedFile = Pick<Asset, "kind" | "mimeType" | "filename">;

/**
 * Every change is one statement that is conditional on the current state and returns whether it applied. Changes that
 * also update a count run in one transaction, in the order post, asset, studio, to avoid deadlocks.
 */
export interface AssetStore {
  insert(asset: Asset): Promise<void>;
  /** Ignores assets in the trash. */
  find(studioId: string, assetId: string): Promise<Asset | undefined>;
  /** Also finds assets in the trash. */
  findWithTrash(studioId: string, assetId: string): Promise<Asset | undefined>;
  /** Newest first. */
  list(studioId: string, filter: AssetFilter): Promise<Asset[]>;
  readonly search: SearchSource<Asset, Pick<AssetFilter, "unattached" | "kind">>;
  /** The assets of these posts, by position within each post. The posts may be in the trash. */
  listByPosts(postIds: readonly string[]): Promise<Asset[]>;
  /** Claims a pending asset; false if it is not pending or its claimed key is no longer `previousKey`. */
  claim(assetId: string, previousKey: string | null, claim: Claim): Promise<boolean>;
  /** Marks a pending asset ready and attaches it; undefined if it is not pending with this claim. */
  confirmAndAttach(
    assetId: string,
    claim: Claim,
    file: ConfirmedFile,
    position: PostPosition,
  ): Promise<ReadyAsset | undefined>;
  /** Marks an uploading asset ready, on its post or in the library; undefined if it has changed since it was read. */
  confirmUploaded(asset: UploadingAsset, file: ConfirmedFile & RecognizedFile): Promise<ReadyAsset | undefined>;
  /** Undefined if the asset is not ready or already on a post. */
  attach(studioId: string, assetId: string, position: PostPosition): Promise<ReadyAsset | undefined>;
  /** Undefined if the asset is not ready on this post. */
  detach(studioId: string, assetId: string, postId: string): Promise<ReadyAsset | undefined>;
  setPositions(postId: string, positions: readonly { assetId: string; position: number }[]): Promise<void>;
  /** Changes an asset, which may be in the trash; undefined if it has changed since it was read, or has expired. */
  update(asset: Asset, change: AssetChange, now: number): Promise<Asset | undefined>;
  /** Moves all assets of a post to the trash with the post, or restores them with the post. */
  setTrashOfPostAssets(postId: string, trash: TrashMark | null): Promise<void>;
  /** Deletes the record, even in the trash; false if the asset has changed since it was read. */
  remove(asset: Asset): Promise<boolean>;
  /** Changes the charged bytes of a pending asset; false if it is not pending or not charged for `fromBytes`. */
  changeCharge(assetId: string, fromBytes: number, toBytes: number): Promise<boolean>;
  /** Adds to the studio's used bytes; false, without a change, if that would exceed `limit`. */
  charge(studioId: string, bytes: number, limit: number | undefined): Promise<boolean>;
  getUsedBytes(studioId: string): Promise<number>;
  /** Whether any studio has a ready asset, in the trash or not. If so, the store must contain files. */
  hasReadyAssets(): Promise<boolean>;
  /** Pending assets whose upload expired at `latestExpiry` or earlier, oldest first. */
  listExpired(latestExpiry: number, limit: number): Promise<Asset[]>;
  /** Ready assets of all studios with ids greater than `afterId`, by id; includes the trash. */
  listStored(
    afterId: string,
    limit: number,
  ): Promise<Pick<Asset, "id" | "studioId" | "storageKey" | "bytes" | "version">[]>;
  /** The assets with these ids that have a record; includes the trash. */
  findForSweep(assetIds: readonly string[]): Promise<Pick<Asset, "id" | "status" | "storageKey" | "trashExpiresAt">[]>;
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

/** Files that several assets may use. The number of assets is recorded for files that were copied. */
export interface SharedFileStore {
  /** Locks a ready asset until the transaction ends; undefined if it is not ready or in the trash. */
  lockAsset(studioId: string, assetId: string): Promise<ReadyAsset | undefined>;
  /** Adds one to the number of assets that use the file of a locked asset. */
  incrementAssetCount(lockedAsset: ReadyAsset): Promise<void>;
  /** Called after the transaction has deleted an asset of the file. Returns whether the file has no assets left. */
  decrementAssetCount(fileKey: string): Promise<boolean>;
  /** The assets of a file, newest first; without those in the trash. */
  listAssets(studioId: string, fileKey: string, limit: number): Promise<FileUse[]>;
  /** Returns the keys among these that an asset uses, in the trash or not. */
  listUsedKeys(fileKeys: readonly string[]): Promise<string[]>;
}

/** Keys without an asset: reserved for a new asset, or left over from a deleted one. */
export interface StrayFileStore {
  /** Called before bytes are written to a new key; the sweeper removes them when due unless an asset claims the key. */
  reserve(key: string, dueAt: number): Promise<void>;
  /** Assigns the key to an asset in this transaction; false if it is marked for deletion. */
  claimForAsset(key: string): Promise<boolean>;
  /** From now on no asset can claim these keys; the sweeper removes their bytes when due. */
  markForDeletion(keys: readonly string[], dueAt: number): Promise<void>;
  /** Marks the keys that are due for deletion and returns them. */
  markDueKeysForDeletion(now: number, limit: number): Promise<string[]>;
  /** Called after the bytes of marked keys were removed. */
  deleteRecords(keys: readonly string[]): Promise<void>;
}
