import type { InferRequestType } from "hono/client";
import { api, ask, tell } from "./client.ts";
import type { PostStatus, Role } from "./queries.ts";

const studioApi = api.studios[":studioId"];

type NewPost = InferRequestType<typeof studioApi.posts.$post>["json"];

export interface PostChange {
  title?: string;
  body?: string;
  status?: PostStatus;
  /** The assets it has, in a new order. */
  assetIds?: string[];
  revision?: number;
}

export const createStudio = (json: { name: string; timezone: string }) => ask(api.studios.$post({ json }));

export const setActiveStudio = (studioId: string) => tell(api.me["active-studio"].$put({ json: { studioId } }));

export const updateStudio = (studioId: string, json: { name?: string; timezone?: string }) =>
  ask(studioApi.$patch({ param: { studioId }, json }));

export const deleteStudio = (studioId: string, name: string) =>
  tell(studioApi.deletion.$post({ param: { studioId }, json: { name } }));

export const createPost = (studioId: string, json: NewPost) =>
  ask(studioApi.posts.$post({ param: { studioId }, json }));

export const updatePost = (studioId: string, postId: string, json: PostChange) =>
  ask(studioApi.posts[":postId"].$patch({ param: { studioId, postId }, json }));

export const changeRole = (studioId: string, userId: string, role: Role) =>
  ask(studioApi.members[":userId"].$patch({ param: { studioId, userId }, json: { role } }));

export const removeMember = (studioId: string, userId: string) =>
  tell(studioApi.members[":userId"].$delete({ param: { studioId, userId } }));

export const createInvitation = (studioId: string, json: { role: Role; email?: string }) =>
  ask(studioApi.invitations.$post({ param: { studioId }, json }));

export const withdrawInvitation = (studioId: string, invitationId: string) =>
  tell(studioApi.invitations[":invitationId"].$delete({ param: { studioId, invitationId } }));

export const revokeClient = (studioId: string, grantId: string) =>
  tell(studioApi.clients[":grantId"].$delete({ param: { studioId, grantId } }));

export const connectPlatform = (studioId: string, json: { platform: string; instanceUrl?: string }) =>
  ask(studioApi.platforms.connect.$post({ param: { studioId }, json }));

export const disconnectPlatform = (studioId: string, connectionId: string) =>
  ask(studioApi.platforms[":connectionId"].$delete({ param: { studioId, connectionId } }));

export const revokeAllClients = (studioId: string) => ask(studioApi.clients.$delete({ param: { studioId } }));

/** Last, or where `order` has it among the post's assets. */
export const attachAsset = (studioId: string, postId: string, assetId: string, order?: string[]) =>
  ask(
    studioApi.posts[":postId"].assets[":assetId"].$put({
      param: { studioId, postId, assetId },
      json: order === undefined ? {} : { order },
    }),
  );

export const detachAsset = (studioId: string, postId: string, assetId: string) =>
  tell(studioApi.posts[":postId"].assets[":assetId"].$delete({ param: { studioId, postId, assetId } }));

export const updateAsset = (studioId: string, assetId: string, json: { altText?: string; filename?: string }) =>
  ask(studioApi.assets[":assetId"].$patch({ param: { studioId, assetId }, json }));

export const deleteAsset = (studioId: string, assetId: string) =>
  tell(studioApi.assets[":assetId"].$delete({ param: { studioId, assetId } }));

export const createUploadLink = (studioId: string, postId: string, inPlace: boolean) =>
  ask(studioApi.posts[":postId"]["upload-links"].$post({ param: { studioId, postId }, json: { inPlace } }));

export const withdrawUploadLink = (studioId: string, postId: string, linkId: string) =>
  tell(studioApi.posts[":postId"]["upload-links"][":linkId"].$delete({ param: { studioId, postId, linkId } }));
