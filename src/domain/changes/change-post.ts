import { type ChangeActivity, recordChange } from "./record-activity.ts";
import { ConflictError } from "../model/conflict.ts";
import type { Tx } from "../ports/deps.ts";
import type { RecordOptions } from "../ports/history.ts";
import type { Post } from "../model/post.ts";
import type { PostChange } from "../ports/posts.ts";
import { type Change, type ChangeDeps, type Editor, toAuthor } from "./editor.ts";
import { keepPersonOptions } from "./person-options.ts";
import { reviseReviews } from "./review-holds.ts";
import { revisePublications } from "./revise-publications.ts";
import { writes } from "../ports/write-stores.ts";

declare const isRecorded: unique symbol;

/** An edit for which `changePost` has locked the post. What changes the post's assets requires one. */
export interface RunningEdit extends Change {
  post: Post;
  readonly [isRecorded]: true;
}

export interface PostEdit<Outcome> extends Pick<RecordOptions, "collapseSince" | "restoredRevision"> {
  /** The expected revision; undefined accepts any. */
  revision?: number | undefined;
  /** The new values. `trash: null` restores a post from the trash; every other edit requires that it is not there. */
  fields?: Omit<PostChange, "haveAssetsChanged">;
  /** Changes the list of assets or one of their texts. */
  changeAssets?: ((edit: RunningEdit) => Promise<Outcome>) | undefined;
  /** Whether scheduled publications stay approved although they now send something else. */
  keepsApproval: boolean;
  /** Null if another activity covers the edit. */
  activity: ((post: Post) => ChangeActivity) | null;
  /** The error if the post does not meet the conditions; by default, the caller retries. */
  createError?: () => Error | Promise<Error>;
}

/**
 * Edits a post: the only way to do so. If the post meets the conditions, updates it with the search index, then records
 * the revision, decides about its publications and reviews (`revisePublications`, `reviseReviews`), and records the
 * activity.
 */
export async function changePost<Outcome = undefined>(
  deps: ChangeDeps,
  tx: Tx,
  editor: Editor,
  postId: string,
  edit: PostEdit<Outcome>,
): Promise<{ post: Post; outcome: Outcome }> {
  const { fields = {}, changeAssets, keepsApproval, activity, collapseSince, restoredRevision } = edit;
  const now = deps.clock();
  const haveAssetsChanged = changeAssets !== undefined || fields.crops !== undefined;
  const merge = await mergeVariants(deps, tx, editor, postId, edit);
  const change = { ...fields, ...merge.fields, haveAssetsChanged };
  const condition = { revision: merge.revision, isTrashed: fields.trash === null, now };
  const post = await tx[writes].posts.update(editor.studio.id, postId, change, condition);
  if (!post) throw (await edit.createError?.()) ?? new ConflictError();
  if (fields.trash !== undefined) await tx[writes].assets.setTrashOfPostAssets(postId, fields.trash);
  if (fields.trash) await tx.uploads.withdrawForPost(postId, fields.trash.at);
  const outcome = (await changeAssets?.({ deps, tx, editor, post } as RunningEdit)) as Outcome;
  const recordOptions = {
    collapseSince,
    haveAssetsChanged,
    ...(restoredRevision === undefined ? {} : { restoredRevision }),
  };
  const { hasPublications, hasReviews } = await tx[writes].revisions.record(postId, toAuthor(editor), recordOptions);
  if (hasPublications) await revisePublications(deps, tx, editor, post, keepsApproval);
  if (hasReviews) await reviseReviews(deps, tx, editor, post);
  if (activity) await recordPostChange(deps, tx, editor, post, activity(post));
  return { post, outcome };
}

/** What an AI client's variants become, and the only revision for which that is right. */
async function mergeVariants(
  deps: ChangeDeps,
  tx: Tx,
  editor: Editor,
  postId: string,
  { revision, fields: { variants } = {} }: Pick<PostEdit<unknown>, "revision" | "fields">,
): Promise<{ fields?: Pick<PostChange, "variants">; revision: number | undefined }> {
  const post = editor.client && variants && (await tx.posts.findWithTrash(editor.studio.id, postId, deps.clock()));
  if (!post || (revision !== undefined && revision !== post.revision)) return { revision };
  const mergedVariants = await keepPersonOptions(deps, tx, editor, post.variants, variants);
  return { fields: { variants: mergedVariants }, revision: post.revision };
}

/** Stores a new post, with its first revision. */
export async function insertPost(deps: ChangeDeps, tx: Tx, editor: Editor, post: Post): Promise<void> {
  await tx[writes].posts.insert(post);
  await tx[writes].revisions.record(post.id, toAuthor(editor));
  await recordPostChange(deps, tx, editor, post, { action: "post.created", detail: { title: post.title } });
}

/** With the revision of the post after the change, which readers of events get. */
const recordPostChange = (
  deps: ChangeDeps,
  tx: Tx,
  editor: Editor,
  { id, revision }: Post,
  activity: ChangeActivity,
): Promise<string> => recordChange(deps, tx, editor, id, { ...activity, detail: { ...activity.detail, revision } });
