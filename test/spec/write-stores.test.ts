import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deps, Tx } from "#domain/ports/deps.ts";
import { changePost } from "#domain/changes/change-post.ts";
import { reorderAssets } from "#domain/changes/post-assets.ts";
import type { Caller } from "#domain/caller.ts";
import type { Asset } from "#domain/model/asset.ts";
import type { Post } from "#domain/model/post.ts";
import type { Publication } from "#domain/model/publication.ts";

/**
 * `npm run check` compiles this function, and fails if a line below `@ts-expect-error` compiles. It is what a verb can't
 * do: write a post, an asset or a publication without its writer, write outside a transaction, or change the assets of a
 * post outside an edit.
 */
export async function doWhatNoVerbCan(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  { post, asset, publication }: { post: Post; asset: Asset; publication: Publication },
): Promise<void> {
  // @ts-expect-error: `changePost` updates posts.
  await tx.posts.update(caller.studio.id, post.id, { title: "" }, { now: 0 });
  // @ts-expect-error: `insertPost` inserts posts.
  await tx.posts.insert(post);
  // @ts-expect-error: `changePost` records revisions.
  await tx.revisions.record(post.id, { userId: null });
  // @ts-expect-error: `changeAsset` updates assets.
  await tx.assets.update(asset, { altText: null }, 0);
  // @ts-expect-error: `insertAsset` inserts assets.
  await tx.assets.insert(asset);
  // @ts-expect-error: `deleteAssets` deletes assets.
  await tx.assets.remove(asset);
  // @ts-expect-error: the writers of assets record their changes.
  await tx.assetChanges.record(asset, 0, { userId: null }, []);
  // @ts-expect-error: `changePublication` updates publications.
  await tx.publications.update(publication.id, { state: "scheduled" }, { states: ["proposed"] });
  // @ts-expect-error: `insertPublications` inserts publications.
  await tx.publications.insert(publication);
  // @ts-expect-error: only `transact` creates a transaction.
  await changePost(deps, deps, caller, post.id, { keepsApproval: false, activity: null });
  // @ts-expect-error: whether the approval stays must be stated.
  await changePost(deps, tx, caller, post.id, { activity: null });
  // @ts-expect-error: `changePost` locks the post and records the revision.
  await reorderAssets({ deps, tx, editor: caller, post }, []);
  // @ts-expect-error: locks end with their transaction.
  await deps.posts.lock(caller.studio.id, post.id);
  // @ts-expect-error: `changePost` updates posts, in a transaction.
  await deps.posts.update(caller.studio.id, post.id, { title: "" }, { now: 0 });
  // @ts-expect-error: `changeAsset` updates assets, in a transaction.
  await deps.assets.update(asset, { altText: null }, 0);
  // @ts-expect-error: `changePublication` updates publications, in a transaction.
  await deps.publications.update(publication.id, { state: "scheduled" }, { states: ["proposed"] });
  // @ts-expect-error: only the worker has the claims of publications.
  await deps.publicationRuns.update(publication.id, { content: null }, { states: ["preparing"], fence: 1 });
}

test("posts, assets and publications are written only by their writers (checked by npm run check)", () => {
  assert.equal(typeof doWhatNoVerbCan, "function");
});
