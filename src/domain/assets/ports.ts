import type { Asset, UploadingAsset, MediaMetadata, ReadyAsset } from "./model/asset.ts";
import type { AssetKind } from "./model/kinds.ts";

export interface AssetFilter {
  unattached?: boolean | undefined;
  kind?: AssetKind | undefined;
  /** Only assets made before this one. */
  before?: string | undefined;
  limit: number;
}

/** Where the bytes of a pending asset are being moved to, and which bytes. */
export interface Claim {
  storageKey: string;
  sourceVersion: string;
}

export interface ConfirmedFile extends MediaMetadata {
  bytes: number;
  version: string;
  sha256: string | null;
}

/** What a file turned out to be, where nobody declared it. */
export type Recognized = Pick<Asset, "kind" | "mimeType" | "filename">;

/**
 * Every change is one statement that says from which state it leads, and tells whether it was there.
 * Those that also move a count run in one transaction, in the order post, asset, studio.
 */
export interface AssetStore {
  insert(asset: Asset): Promise<void>;
  find(studioId: string, assetId: string): Promise<Asset | undefined>;
  /** Newest first. */
  list(studioId: string, filter: AssetFilter): Promise<Asset[]>;
  /** The assets of these posts, each post's in its order. */
  listByPosts(postIds: readonly string[]): Promise<Asset[]>;
  /** Names where a pending asset's bytes go; false where it is not pending, or no longer has the claim `from`. */
  claim(assetId: string, from: string | null, claim: Claim): Promise<boolean>;
  /** Pending, with this claim, to ready on the post; undefined where it is not so any more. */
  confirmAndAttach(
    assetId: string,
    claim: Claim,
    file: ConfirmedFile,
    position: PostPosition,
  ): Promise<ReadyAsset | undefined>;
  /** An asset that was uploading to a post becomes ready there; undefined if it has changed since it was read. */
  confirmReserved(asset: UploadingAsset, file: ConfirmedFile & Recognized): Promise<ReadyAsset | undefined>;
  /** Ready and on no post, to on the post; undefined where it is not so any more. */
  attach(studioId: string, assetId: string, position: PostPosition): Promise<ReadyAsset | undefined>;
  /** Off the post; false where it is not ready there. */
  detach(studioId: string, assetId: string, postId: string): Promise<boolean>;
  /** Gives the assets of a post these places. */
  setPositions(postId: string, positions: readonly { assetId: string; position: number }[]): Promise<void>;
  update(studioId: string, assetId: string, change: AssetChange): Promise<Asset | undefined>;
  /** Removes the record of an asset that is as it was when it was read; false where it has moved on. */
  remove(asset: Asset): Promise<boolean>;
  /** Changes what a pending asset is charged for; false where it is not pending, or no longer charged for `from`. */
  changeCharge(assetId: string, from: number, to: number): Promise<boolean>;
  /** Moves the studio's used bytes; false, and nothing changed, where that would go past `limit`. */
  charge(studioId: string, bytes: number, limit: number | undefined): Promise<boolean>;
  getUsedBytes(studioId: string): Promise<number>;
  /** Whether any asset of any studio is ready: then there are files, or there should be. */
  hasReadyAssets(): Promise<boolean>;
  /** Pending ones whose address expired by then, longest ago first. */
  listExpired(expiredBy: number, limit: number): Promise<Asset[]>;
  /** Ready ones of all studios, by id, behind this one. */
  listStored(
    after: string,
    limit: number,
  ): Promise<Pick<Asset, "id" | "studioId" | "storageKey" | "bytes" | "version">[]>;
  /** Of these ids, the ones that exist, with what the sweeper needs to know. */
  findForSweep(assetIds: readonly string[]): Promise<Pick<Asset, "id" | "status" | "storageKey">[]>;
}

export interface PostPosition {
  postId: string;
  position: number;
}

export type AssetChange = Partial<Pick<Asset, "altText" | "filename">>;

/** Keys whose bytes belong to no asset: written ahead of one, or left behind by one. */
export interface StrayFileStore {
  /** Before bytes are written to a key that no asset has: should none take it, they are removed when due. */
  reserve(key: string, dueAt: number): Promise<void>;
  /** An asset takes the key, in this transaction; false where it is doomed already. */
  claim(key: string): Promise<boolean>;
  /** No asset can take these keys from now on; what lies there when due is removed. */
  markForDeletion(keys: readonly string[], dueAt: number): Promise<void>;
  /** Dooms what is due, and names it. */
  markDueForDeletion(now: number, limit: number): Promise<string[]>;
  /** The bytes of a doomed key are gone. */
  deleteRecords(keys: readonly string[]): Promise<void>;
}
