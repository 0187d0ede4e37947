import { attachAsset, copyAsset, createPost, deleteAsset, updatePost } from "../api/mutations.ts";
import { platformsQuery, postQuery, type Post } from "../api/queries.ts";
import { queryClient } from "../api/query-client.ts";
import { runBulk } from "../bulk/run-bulk.ts";

const maxTitleLength = 300;
const suffix = " (copy)";

export interface Duplicate {
  id: string;
  /** What the new post lacks; empty if it has everything. */
  omissions: readonly string[];
}

/** What the user sees in the editor, where the last keystrokes may not be saved yet. */
export type EditedText = Pick<Post, "title" | "body">;

/**
 * Creates a draft with the texts, tags and files of a post, without its publications, comments and crops. If a file
 * can't be copied, the other files are still copied.
 */
export async function duplicatePost(studioId: string, postId: string, editedText?: EditedText): Promise<Duplicate> {
  const original = await queryClient.query(postQuery(studioId, postId));
  const { title, body } = editedText ?? original;
  const { id } = await createPost({ studioId }, { title: getCopyTitle(title), body, tags: original.tags });
  const { copyIds, missingFiles } = await copyFiles(studioId, id, original.assets);
  const areVariantsCopied = await copyVariants(studioId, id, original, copyIds);
  return {
    id,
    omissions: [
      ...(areVariantsCopied ? [] : ["the texts and files for specific accounts"]),
      ...describeMissingFiles(missingFiles),
    ],
  };
}

function getCopyTitle(title: string): string {
  const start = title.slice(0, maxTitleLength - suffix.length);
  // The cut may leave half of a surrogate pair.
  return start.replace(/[\uD800-\uDBFF]$/, "").trimEnd() + suffix;
}

/** Resolves with false if the variants could not be saved. Skips those of accounts that are no longer connected. */
async function copyVariants(
  studioId: string,
  newPostId: string,
  { variants }: Post,
  copyIds: ReadonlyMap<string, string>,
): Promise<boolean> {
  if (variants.length === 0) return true;
  try {
    const { connections } = await queryClient.query(platformsQuery(studioId));
    const connectedIds = new Set(connections.filter(({ state }) => state !== "disconnected").map(({ id }) => id));
    const connectedVariants = variants
      .filter(({ connectionId }) => connectedIds.has(connectionId))
      .map(({ assetIds, ...others }) => ({
        ...others,
        ...(assetIds && { assetIds: assetIds.flatMap((id) => copyIds.get(id) ?? []) }),
      }));
    if (connectedVariants.length > 0)
      await updatePost({ studioId, postId: newPostId }, { variants: connectedVariants });
    return true;
  } catch {
    return false;
  }
}

interface CopiedFiles {
  /** The ids of the new files, by the ids of the originals. */
  copyIds: ReadonlyMap<string, string>;
  /** The names of the files that the new post lacks. */
  missingFiles: readonly string[];
}

async function copyFiles(studioId: string, newPostId: string, assets: Post["assets"]): Promise<CopiedFiles> {
  const readyAssets = assets.filter(({ status }) => status === "ready");
  const copies = await runBulk(readyAssets, ({ id }) => copyAsset({ studioId, assetId: id }), { concurrency: 4 });
  const copyIds = new Map(copies.successes.map(({ item, result }) => [item.id, result.assetId]));
  const copiedAssets = readyAssets.filter(({ id }) => copyIds.has(id));
  // One after another, to keep the order, because each is attached at the end.
  const attachments = await runBulk(copiedAssets, ({ id }) =>
    attachAsset({ studioId, postId: newPostId, assetId: copyIds.get(id) ?? "" }),
  );
  // Keeps unused copies out of the library.
  await runBulk(attachments.failures, ({ item }) => deleteAsset({ studioId, assetId: copyIds.get(item.id) ?? "" }));
  const attachedIds = new Set(attachments.successes.map(({ item }) => item.id));
  return {
    copyIds: new Map([...copyIds].filter(([id]) => attachedIds.has(id))),
    missingFiles: assets.filter(({ id }) => !attachedIds.has(id)).map(({ filename }) => filename),
  };
}

const describeMissingFiles = (names: readonly string[]): string[] => {
  if (names.length === 0) return [];
  return [`${names.length === 1 ? "1 file" : `${names.length} files`}: ${names.join(", ")}`];
};
