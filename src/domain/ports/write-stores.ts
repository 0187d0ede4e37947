import type { AssetWrites, SharedFileWrites } from "./assets.ts";
import type { AssetChangeWrites, RevisionWrites } from "./history.ts";
import type { PostWrites } from "./posts.ts";
import type { PublicationWrites } from "./publications.ts";
import type { StudioContentStore } from "./studios.ts";
import type { TrashWrites } from "./trash.ts";

/** The stores that write posts, assets and publications, with their history. */
export interface WriteStores {
  posts: PostWrites;
  revisions: RevisionWrites;
  assets: AssetWrites;
  assetChanges: AssetChangeWrites;
  sharedFiles: SharedFileWrites;
  publications: PublicationWrites;
  trash: TrashWrites;
  studioContent: StudioContentStore;
}

/**
 * The key of the write stores in a transaction. Only this folder may import it (`oxlint.config.ts`), so that no change
 * forgets the revision, the approvals or the activity that belong to it.
 */
export const writes: unique symbol = Symbol("writes");
