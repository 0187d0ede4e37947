import type { InferRequestType, InferResponseType } from "hono/client";
import { api, fetchJson, sendRequest } from "./client.ts";
import type { Role } from "./queries.ts";

const studioApi = api.studios[":studioId"];

type Body<Route> = InferRequestType<Route> extends { json: infer Json } ? Json : never;

export const createStudio = (json: Body<typeof api.studios.$post>) => fetchJson(api.studios.$post({ json }));

export const setActiveStudio = (studioId: string) => sendRequest(api.me["active-studio"].$put({ json: { studioId } }));

export const updateStudio = (studioId: string, json: Body<typeof studioApi.$patch>) =>
  fetchJson(studioApi.$patch({ param: { studioId }, json }));

export const deleteStudio = (studioId: string, name: string) =>
  sendRequest(studioApi.deletion.$post({ param: { studioId }, json: { name } }));

export const createPost = (studioId: string, json: Body<typeof studioApi.posts.$post>) =>
  fetchJson(studioApi.posts.$post({ param: { studioId }, json }));

export const updatePost = (
  studioId: string,
  postId: string,
  json: Body<(typeof studioApi.posts)[":postId"]["$patch"]>,
) => fetchJson(studioApi.posts[":postId"].$patch({ param: { studioId, postId }, json }));

const postAssetApi = studioApi.posts[":postId"].assets[":assetId"];

/** Sets whether a platform receives an image of a post padded or cropped, and which part a crop keeps. */
export const setCrop = (
  studioId: string,
  postId: string,
  assetId: string,
  json: Body<typeof postAssetApi.crop.$patch>,
) => fetchJson(postAssetApi.crop.$patch({ param: { studioId, postId, assetId }, json }));

/** Moves a post to the trash. */
export const deletePost = (studioId: string, postId: string) =>
  sendRequest(studioApi.posts[":postId"].$delete({ param: { studioId, postId } }));

const restoreApi = studioApi.posts[":postId"].restore;
type RestoreResponse = InferResponseType<typeof restoreApi.$post>;
type RestorePreview = Extract<RestoreResponse, { approvable: unknown }>;

/** `approve` names publications to approve again. */
export const restoreRevision = async (studioId: string, postId: string, revision: number, approve: string[] = []) => {
  const json = { revision, approve };
  return (await fetchJson<RestoreResponse>(restoreApi.$post({ param: { studioId, postId }, json }))) as Exclude<
    RestoreResponse,
    RestorePreview
  >;
};

/** Which publications the restore could approve again. */
export const previewRestore = async (studioId: string, postId: string, revision: number) => {
  const json = { revision, dryRun: true };
  return (await fetchJson<RestoreResponse>(restoreApi.$post({ param: { studioId, postId }, json }))) as RestorePreview;
};

export const restoreFromTrash = (studioId: string, id: string) =>
  fetchJson(studioApi.trash[":id"].restore.$post({ param: { studioId, id } }));

export const emptyTrash = (studioId: string) => sendRequest(studioApi.trash.$delete({ param: { studioId } }));

export const undoClientChanges = (
  studioId: string,
  grantId: string,
  json: Body<(typeof studioApi.clients)[":grantId"]["undo"]["$post"]>,
) => fetchJson(studioApi.clients[":grantId"].undo.$post({ param: { studioId, grantId }, json }));

export const undoUndo = (
  studioId: string,
  undoId: string,
  json: Body<(typeof studioApi.undos)[":undoId"]["undo"]["$post"]>,
) => fetchJson(studioApi.undos[":undoId"].undo.$post({ param: { studioId, undoId }, json }));

export const changeRole = (studioId: string, userId: string, role: Role) =>
  fetchJson(studioApi.members[":userId"].$patch({ param: { studioId, userId }, json: { role } }));

export const removeMember = (studioId: string, userId: string) =>
  sendRequest(studioApi.members[":userId"].$delete({ param: { studioId, userId } }));

export const createInvitation = (studioId: string, json: Body<typeof studioApi.invitations.$post>) =>
  fetchJson(studioApi.invitations.$post({ param: { studioId }, json }));

export const revokeInvitation = (studioId: string, invitationId: string) =>
  sendRequest(studioApi.invitations[":invitationId"].$delete({ param: { studioId, invitationId } }));

export const revokeClient = (studioId: string, grantId: string) =>
  sendRequest(studioApi.clients[":grantId"].$delete({ param: { studioId, grantId } }));

export const connectPlatform = (studioId: string, json: Body<typeof studioApi.platforms.connect.$post>) =>
  fetchJson(studioApi.platforms.connect.$post({ param: { studioId }, json }));

export const disconnectPlatform = (studioId: string, connectionId: string) =>
  fetchJson(studioApi.platforms[":connectionId"].$delete({ param: { studioId, connectionId } }));

export const revokeAllClients = (studioId: string) => fetchJson(studioApi.clients.$delete({ param: { studioId } }));

/** Attaches at the end. To undo a detach, pass the post's earlier order of asset ids in `order`. */
export const attachAsset = (studioId: string, postId: string, assetId: string, order?: string[]) =>
  fetchJson(
    studioApi.posts[":postId"].assets[":assetId"].$put({
      param: { studioId, postId, assetId },
      json: order === undefined ? {} : { order },
    }),
  );

export const detachAsset = (studioId: string, postId: string, assetId: string) =>
  sendRequest(studioApi.posts[":postId"].assets[":assetId"].$delete({ param: { studioId, postId, assetId } }));

export const updateAsset = (
  studioId: string,
  assetId: string,
  json: Body<(typeof studioApi.assets)[":assetId"]["$patch"]>,
) => fetchJson(studioApi.assets[":assetId"].$patch({ param: { studioId, assetId }, json }));

/** Creates an unattached asset with the same file. */
export const copyAsset = (studioId: string, assetId: string) =>
  fetchJson(studioApi.assets[":assetId"].copy.$post({ param: { studioId, assetId } }));

/** Moves a file to the trash, or cancels an upload. */
export const deleteAsset = (studioId: string, assetId: string) =>
  sendRequest(studioApi.assets[":assetId"].$delete({ param: { studioId, assetId } }));

/** `inPlace`: for uploads by this page itself; not listed as a link. */
export const createUploadLink = (studioId: string, postId: string, json: { inPlace: boolean }) =>
  fetchJson(studioApi.posts[":postId"]["upload-links"].$post({ param: { studioId, postId }, json }));

/** Creates the upload link with which the library page itself uploads files. */
export const createLibraryUploadLink = (studioId: string) =>
  fetchJson(studioApi["upload-links"].$post({ param: { studioId } }));

export const withdrawUploadLink = (studioId: string, postId: string, linkId: string) =>
  sendRequest(studioApi.posts[":postId"]["upload-links"][":linkId"].$delete({ param: { studioId, postId, linkId } }));

export const publishPost = (
  studioId: string,
  postId: string,
  json: Body<(typeof studioApi.posts)[":postId"]["publications"]["$post"]>,
) => fetchJson(studioApi.posts[":postId"].publications.$post({ param: { studioId, postId }, json }));

const publicationApi = studioApi.publications[":publicationId"];

/** Fails if the publication has changed since the approver saw this snapshot. */
export const approvePublication = (
  studioId: string,
  publicationId: string,
  snapshot: { revision: number; scheduledFor: string | null; startInSeconds: number },
) => fetchJson(publicationApi.approve.$post({ param: { studioId, publicationId }, json: snapshot }));

/** Fails if publishing has started. */
export const unapprovePublication = (studioId: string, publicationId: string) =>
  fetchJson(publicationApi.unapprove.$post({ param: { studioId, publicationId } }));

export const cancelPublication = (studioId: string, publicationId: string) =>
  fetchJson(publicationApi.cancel.$post({ param: { studioId, publicationId } }));

/** Cancels a proposal after a comment that asks for changes. */
export const sendBackPublication = (studioId: string, publicationId: string) =>
  fetchJson(publicationApi["send-back"].$post({ param: { studioId, publicationId } }));

export const reschedulePublication = (studioId: string, publicationId: string, at: string) =>
  fetchJson(publicationApi.reschedule.$post({ param: { studioId, publicationId }, json: { at } }));

export const resolvePublication = (
  studioId: string,
  publicationId: string,
  json: Body<typeof publicationApi.resolve.$post>,
) => fetchJson(publicationApi.resolve.$post({ param: { studioId, publicationId }, json }));
