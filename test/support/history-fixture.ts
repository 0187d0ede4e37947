import { attachAsset } from "#domain/assets/attach-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { getPostHistory, type RevisionView } from "#domain/history/get-post-history.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { createTestGrant } from "./tokens.ts";
import { readPages } from "./read-pages.ts";
import { pdf } from "./samples.ts";
import { newStudio } from "./users.ts";

export type ClientCaller = Required<Caller> & { grantId: string };

/** Returns a caller for the same user, acting through an AI client. */
export async function actThroughClient(deps: Deps, user: Caller, name = "Claude"): Promise<ClientCaller> {
  const { grantId } = await createTestGrant(deps, user, { client: name });
  const grant = await deps.grants.find(grantId);
  if (!grant) throw new Error("the grant was not stored");
  return { ...user, client: { id: grant.clientId, name }, grantId, credential: { kind: "grant", grantId } };
}

/** A user whose AI client may change posts, but needs approval to publish them. */
export const actThroughDrafter = async (deps: Deps, user: Caller): Promise<ClientCaller> => ({
  ...(await actThroughClient(deps, user)),
  scopes: ["studio:read", "studio:write"],
});

/** Uploads an unattached file; returns the id of the asset. */
export async function addFile(deps: Deps, caller: Caller, filename = "file.pdf"): Promise<string> {
  const input = { kind: "document" as const, mimeType: "application/pdf", base64: pdf.toString("base64"), filename };
  return (await uploadAssetInline(deps, caller, input)).assetId;
}

/** Creates a post with this number of attached files. */
export async function addPost(
  deps: Deps,
  caller: Caller,
  { title = "Title", body = "Body", files = 0 } = {},
): Promise<{ postId: string; assetIds: string[] }> {
  const { id: postId } = await createPost(deps, caller, { title, body });
  const assetIds: string[] = [];
  for (let i = 0; i < files; i++) {
    const assetId = await addFile(deps, caller, `file-${i}.pdf`);
    await attachAsset(deps, caller, { postId, assetId });
    assetIds.push(assetId);
  }
  return { postId, assetIds };
}

/** Creates a studio, an AI client of its owner, and a post of the owner. */
export async function newStudioWithPost(
  deps: Deps,
  content: Parameters<typeof addPost>[2] = {},
): Promise<{ owner: Caller; client: ClientCaller; postId: string; assetIds: string[] }> {
  const owner = await newStudio(deps);
  return { owner, client: await actThroughClient(deps, owner), ...(await addPost(deps, owner, content)) };
}

/** Returns all revisions, newest first. */
export async function readHistory(deps: Deps, caller: Caller, postId: string): Promise<RevisionView[]> {
  const pages = await readPages((cursor) => getPostHistory(deps, caller, { postId, limit: 100, cursor }));
  return pages.flatMap(({ revisions }) => revisions);
}
