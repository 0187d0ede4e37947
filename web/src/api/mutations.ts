import type { InferResponseType } from "hono/client";
import { change, defineChange, type Send, type StudioRoutes } from "./change.ts";

/** For requests that change nothing that a page shows. */
const nothing = {};
/** For saves by the editor, which applies the response itself. The event stream announces them to all other queries. */
const appliedByEditor = {};
/** For undos of many changes. */
const anything = undefined;
/** For the list of the user's studios. After these changes, the user may have no access to the studio. */
const ownStudios = [null, [{ type: "studio", id: null }]] as const;

export const createStudio = (json: { name: string; timezone: string }) =>
  change(...ownStudios, (_, { studios }) => studios.$post({ json }));
export const setActiveStudio = (studioId: string) =>
  change(...ownStudios, (_, { me }) => me["active-studio"].$put({ json: { studioId } }));
export const deleteStudio = (studioId: string, name: string) =>
  change(...ownStudios, ({ deletion }) => deletion.$post({ param: { studioId }, json: { name } }));
/** Removes the user. */
export const leaveStudio = (studioId: string, userId: string) =>
  change(...ownStudios, ({ members }) => members[":userId"].$delete({ param: { studioId, userId } }));
export const updateStudio = defineChange((studio) => studio.$patch, [], { studio: null });

export const changeRole = defineChange(({ members }) => members[":userId"].$patch, ["userId"], { member: "userId" });
export const removeMember = defineChange(({ members }) => members[":userId"].$delete, ["userId"], { member: "userId" });
export const createInvitation = defineChange(({ invitations }) => invitations.$post, [], { invitation: null });
export const revokeInvitation = defineChange(
  ({ invitations }) => invitations[":invitationId"].$delete,
  ["invitationId"],
  { invitation: "invitationId" },
);

export const createPost = defineChange(({ posts }) => posts.$post, [], { post: null });
export const updatePost = defineChange(({ posts }) => posts[":postId"].$patch, ["postId"], { post: "postId" });
/** Updates the post that is open in the editor. */
export const saveEdit = defineChange(({ posts }) => posts[":postId"].$patch, ["postId"], appliedByEditor);
/** Sets whether a platform receives an image of a post padded or cropped, and which part a crop keeps. */
export const setCrop = defineChange(
  ({ posts }) => posts[":postId"].assets[":assetId"].crop.$patch,
  ["postId", "assetId"],
  appliedByEditor,
);
/** Moves a post to the trash. */
export const deletePost = defineChange(({ posts }) => posts[":postId"].$delete, ["postId"], { post: "postId" });

type RestoreResponse = InferResponseType<StudioRoutes["posts"][":postId"]["restore"]["$post"]>;
type RestorePreview = Extract<RestoreResponse, { approvable: unknown }>;

/** `approve` names publications to approve again. */
export const restoreRevision = (studioId: string, postId: string, revision: number, approve: string[] = []) =>
  change(studioId, [{ type: "post", id: postId }], ({ posts }) =>
    posts[":postId"].restore.$post({ param: { studioId, postId }, json: { revision, approve } }),
  ) as Promise<Exclude<RestoreResponse, RestorePreview>>;
/** Which publications the restore could approve again. */
export const previewRestore = (studioId: string, postId: string, revision: number) =>
  change(studioId, [], ({ posts }) =>
    posts[":postId"].restore.$post({ param: { studioId, postId }, json: { revision, dryRun: true } }),
  ) as Promise<RestorePreview>;

/** Restores a post or file. */
export const restoreFromTrash = defineChange(({ trash }) => trash[":id"].restore.$post, ["id"], {
  post: "id",
  asset: "id",
});
export const emptyTrash = defineChange(({ trash }) => trash.$delete, [], { trash: null });

export const undoClientChanges = defineChange(({ clients }) => clients[":grantId"].undo.$post, ["grantId"], anything);
export const previewUndo = (studioId: string, grantId: string, since: string) =>
  change(studioId, [], ({ clients }) =>
    clients[":grantId"].undo.$post({ param: { studioId, grantId }, json: { since, dryRun: true } }),
  );
export const undoUndo = defineChange(({ undos }) => undos[":undoId"].undo.$post, ["undoId"], anything);
export const previewUndoUndo = (studioId: string, undoId: string) =>
  change(studioId, [], ({ undos }) =>
    undos[":undoId"].undo.$post({ param: { studioId, undoId }, json: { dryRun: true } }),
  );
export const revokeClient = defineChange(({ clients }) => clients[":grantId"].$delete, ["grantId"], {
  client: "grantId",
});
export const revokeAllClients = defineChange(({ clients }) => clients.$delete, [], { client: null });

/** Creates a link. The account is connected when the user returns from the platform. */
export const connectPlatform = defineChange(({ platforms }) => platforms.connect.$post, [], nothing);
export const disconnectPlatform = defineChange(
  ({ platforms }) => platforms[":connectionId"].$delete,
  ["connectionId"],
  { platform: "connectionId" },
);

/** Attaches at the end. To undo a detach, pass the post's earlier order of asset ids in `order`. */
export const attachAsset = defineChange(
  ({ posts }) => posts[":postId"].assets[":assetId"].$put,
  ["postId", "assetId"],
  { post: "postId", asset: "assetId" },
);
export const detachAsset = defineChange(
  ({ posts }) => posts[":postId"].assets[":assetId"].$delete,
  ["postId", "assetId"],
  { post: "postId", asset: "assetId" },
);
export const updateAsset = defineChange(({ assets }) => assets[":assetId"].$patch, ["assetId"], { asset: "assetId" });
/** Creates an unattached asset with the same file. */
export const copyAsset = defineChange(({ assets }) => assets[":assetId"].copy.$post, ["assetId"], { asset: null });
/** Moves a file to the trash, or cancels an upload. */
export const deleteAsset = defineChange(({ assets }) => assets[":assetId"].$delete, ["assetId"], { asset: "assetId" });

export const createUploadLink = (studioId: string, postId: string) =>
  change(studioId, [{ type: "upload_link", id: null }], ({ posts }) =>
    posts[":postId"]["upload-links"].$post({ param: { studioId, postId }, json: { inPlace: false } }),
  );
/** Creates the upload link, which is not listed, with which this page itself uploads files to a post. */
export const createPostUploadLink = (studioId: string, postId: string) =>
  change(studioId, [], ({ posts }) =>
    posts[":postId"]["upload-links"].$post({ param: { studioId, postId }, json: { inPlace: true } }),
  );
/** Creates the upload link with which the library page itself uploads files. */
export const createLibraryUploadLink = defineChange((studio) => studio["upload-links"].$post, [], nothing);
/** Cancels unfinished uploads, too. */
export const withdrawUploadLink = defineChange(
  ({ posts }) => posts[":postId"]["upload-links"][":linkId"].$delete,
  ["postId", "linkId"],
  { upload_link: "linkId", asset: null },
);

export const publishPost = defineChange(({ posts }) => posts[":postId"].publications.$post, ["postId"], {
  post: "postId",
  publication: null,
});
const definePublicationChange = <Route extends Send>(
  pick: (routes: StudioRoutes["publications"][":publicationId"]) => Route,
) =>
  defineChange(({ publications }) => pick(publications[":publicationId"]), ["publicationId"], {
    publication: "publicationId",
  });
/** Fails if the publication has changed since the approver saw this snapshot. */
export const approvePublication = definePublicationChange(({ approve }) => approve.$post);
/** Fails if publishing has started. */
export const unapprovePublication = definePublicationChange(({ unapprove }) => unapprove.$post);
export const cancelPublication = definePublicationChange(({ cancel }) => cancel.$post);
/** Cancels a proposal after a comment that asks for changes. */
export const sendBackPublication = definePublicationChange((routes) => routes["send-back"].$post);
export const reschedulePublication = definePublicationChange(({ reschedule }) => reschedule.$post);
export const resolvePublication = definePublicationChange(({ resolve }) => resolve.$post);

export const addComment = defineChange(({ posts }) => posts[":postId"].comments.$post, ["postId"], {
  comment: "postId",
});
/** Resolves or reopens the thread that the comment started. */
export const setThreadResolved = defineChange(
  ({ posts }) => posts[":postId"].comments[":commentId"].$patch,
  ["postId", "commentId"],
  { comment: "postId" },
);
export const deleteComment = defineChange(
  ({ posts }) => posts[":postId"].comments[":commentId"].$delete,
  ["postId", "commentId"],
  { comment: "postId" },
);
