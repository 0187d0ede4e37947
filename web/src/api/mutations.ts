import type { InferResponseType } from "hono/client";
import { change, defineChange, type StudioRoutes } from "./change.ts";

/** For requests that change nothing that a page shows. */
const nothing = [] as const;
/** For saves by the editor, which applies the response itself. The event stream announces them to all other queries. */
const appliedByEditor = [] as const;
/** For undos of many changes. */
const anything = undefined;
/** For the list of the user's studios. After these changes, the user may have no access to the studio. */
const ownStudios = [null, [{ type: "studio", id: null }]] as const;

interface PostParam {
  studioId: string;
  postId: string;
}

export const createStudio = (json: { name: string; timezone: string }) =>
  change(...ownStudios, (_, { studios }) => studios.$post({ json }));
export const setActiveStudio = (studioId: string) =>
  change(...ownStudios, (_, { me }) => me["active-studio"].$put({ json: { studioId } }));
export const deleteStudio = (studioId: string, name: string) =>
  change(...ownStudios, ({ deletion }) => deletion.$post({ param: { studioId }, json: { name } }));
export const leaveStudio = (param: { studioId: string; userId: string }) =>
  change(...ownStudios, ({ members }) => members[":userId"].$delete({ param }));
export const updateStudio = defineChange((studio) => studio.$patch, ["studio"]);

export const changeRole = defineChange(({ members }) => members[":userId"].$patch, ["member"]);
export const removeMember = defineChange(({ members }) => members[":userId"].$delete, ["member"]);
export const createInvitation = defineChange(({ invitations }) => invitations.$post, ["invitation"]);
export const revokeInvitation = defineChange(({ invitations }) => invitations[":invitationId"].$delete, ["invitation"]);

export const createPost = defineChange(({ posts }) => posts.$post, ["post"]);
export const updatePost = defineChange(({ posts }) => posts[":postId"].$patch, ["post"]);
/** Updates the post that is open in the editor. */
export const saveEdit = defineChange(({ posts }) => posts[":postId"].$patch, appliedByEditor);
/** Sets whether a platform receives an image of a post padded or cropped, and which part a crop keeps. */
export const setCrop = defineChange(({ posts }) => posts[":postId"].assets[":assetId"].crop.$patch, appliedByEditor);
/** Moves a post to the trash. */
export const deletePost = defineChange(({ posts }) => posts[":postId"].$delete, ["post"]);

type RestoreResponse = InferResponseType<StudioRoutes["posts"][":postId"]["restore"]["$post"]>;
type RestorePreview = Extract<RestoreResponse, { approvable: unknown }>;
/** `approve` names publications to approve again. */
export const restoreRevision = (param: PostParam, revision: number, approve: string[] = []) =>
  change(param.studioId, [{ type: "post", id: param.postId }], ({ posts }) =>
    posts[":postId"].restore.$post({ param, json: { revision, approve } }),
  ) as Promise<Exclude<RestoreResponse, RestorePreview>>;
/** Which publications the restore could approve again. */
export const previewRestore = (param: PostParam, revision: number) =>
  change(param.studioId, nothing, ({ posts }) =>
    posts[":postId"].restore.$post({ param, json: { revision, dryRun: true } }),
  ) as Promise<RestorePreview>;

/** Restores a post or file. */
export const restoreFromTrash = (param: { studioId: string; id: string }) =>
  change(param.studioId, [{ type: param.id.startsWith("pst_") ? "post" : "asset", id: param.id }], ({ trash }) =>
    trash[":id"].restore.$post({ param }),
  );
export const emptyTrash = defineChange(({ trash }) => trash.$delete, ["trash"]);

export const undoClientChanges = defineChange(({ clients }) => clients[":grantId"].undo.$post, anything);
export const previewUndo = (param: { studioId: string; grantId: string }, since: string) =>
  change(param.studioId, nothing, ({ clients }) =>
    clients[":grantId"].undo.$post({ param, json: { since, dryRun: true } }),
  );
export const undoUndo = defineChange(({ undos }) => undos[":undoId"].undo.$post, anything);
export const previewUndoUndo = (param: { studioId: string; undoId: string }) =>
  change(param.studioId, nothing, ({ undos }) => undos[":undoId"].undo.$post({ param, json: { dryRun: true } }));
export const revokeClient = defineChange(({ clients }) => clients[":grantId"].$delete, ["client"]);
export const allowClient = defineChange(({ clients }) => clients[":grantId"].allow.$post, ["client"]);
export const revokeAllClients = defineChange(({ clients }) => clients.$delete, ["client"]);

/** Creates a link. The account is connected when the user returns from the platform. */
export const connectPlatform = defineChange(({ platforms }) => platforms.connect.$post, nothing);
export const disconnectPlatform = defineChange(({ platforms }) => platforms[":connectionId"].$delete, ["platform"]);

/** Attaches at the end. To undo a detach, pass the post's earlier order of asset ids in `order`. */
export const attachAsset = defineChange(({ posts }) => posts[":postId"].assets[":assetId"].$put, ["post", "asset"]);
export const detachAsset = defineChange(({ posts }) => posts[":postId"].assets[":assetId"].$delete, ["post", "asset"]);
export const updateAsset = defineChange(({ assets }) => assets[":assetId"].$patch, ["asset"]);
/** Creates an unattached asset with the same file. */
export const copyAsset = defineChange(({ assets }) => assets[":assetId"].copy.$post, ["asset"]);
/** Moves a file to the trash, or cancels an upload. */
export const deleteAsset = defineChange(({ assets }) => assets[":assetId"].$delete, ["asset"]);

export const createUploadLink = (param: PostParam) =>
  change(param.studioId, [{ type: "upload_link", id: null }], ({ posts }) =>
    posts[":postId"]["upload-links"].$post({ param, json: { inPlace: false } }),
  );
/** Creates the upload link, which is not listed, with which this page itself uploads files to a post. */
export const createPostUploadLink = (param: PostParam) =>
  change(param.studioId, nothing, ({ posts }) =>
    posts[":postId"]["upload-links"].$post({ param, json: { inPlace: true } }),
  );
/** Creates the upload link with which the library page itself uploads files. */
export const createLibraryUploadLink = defineChange((studio) => studio["upload-links"].$post, nothing);
/** Also cancels unfinished uploads. */
export const withdrawUploadLink = defineChange(
  ({ posts }) => posts[":postId"]["upload-links"][":linkId"].$delete,
  ["upload_link", "asset"],
);

export const shareForReview = defineChange((studio) => studio["review-links"].$post, ["review", "publication", "post"]);
export const withdrawReviewLink = defineChange((studio) => studio["review-links"][":linkId"].$delete, ["review"]);

export const publishPost = defineChange(({ posts }) => posts[":postId"].publications.$post, ["post", "publication"]);

const publication = ({ publications }: StudioRoutes) => publications[":publicationId"];
/** Fails if the publication has changed since the approver saw this snapshot. */
export const approvePublication = defineChange((studio) => publication(studio).approve.$post, ["publication"]);
/** Fails if publishing has started. */
export const unapprovePublication = defineChange((studio) => publication(studio).unapprove.$post, ["publication"]);
export const cancelPublication = defineChange((studio) => publication(studio).cancel.$post, ["publication"]);
/** Cancels a proposal after a comment that asks for changes. */
export const sendBackPublication = defineChange((studio) => publication(studio)["send-back"].$post, ["publication"]);
export const reschedulePublication = defineChange((studio) => publication(studio).reschedule.$post, ["publication"]);
/** Sends the missing parts of a thread. */
export const continuePublication = defineChange((studio) => publication(studio).continue.$post, ["publication"]);
export const resolvePublication = defineChange((studio) => publication(studio).resolve.$post, ["publication"]);

export const refreshResults = defineChange((studio) => publication(studio).results.refresh.$post, ["publication"]);

/** Replaces the weekly slots of all accounts. */
export const setSlots = defineChange(({ slots }) => slots.$put, ["studio"]);
/** Creates the user's calendar feed, or replaces its URL. */
export const createCalendarFeed = defineChange((studio) => studio["calendar-feeds"].$post, ["member"]);
export const revokeCalendarFeed = defineChange((studio) => studio["calendar-feeds"].$delete, ["member"]);

const comments = ({ posts }: StudioRoutes) => posts[":postId"].comments;
export const addComment = defineChange((studio) => comments(studio).$post, ["comment"]);
/** Resolves or reopens the thread that the comment started, or shows the comment to guests or hides it. */
export const changeComment = defineChange((studio) => comments(studio)[":commentId"].$patch, ["comment"]);
export const deleteComment = defineChange((studio) => comments(studio)[":commentId"].$delete, ["comment"]);

const webhook = ({ webhooks }: StudioRoutes) => webhooks[":webhookId"];
export const createWebhook = defineChange(({ webhooks }) => webhooks.$post, ["webhook"]);
export const updateWebhook = defineChange((studio) => webhook(studio).$patch, ["webhook"]);
export const deleteWebhook = defineChange((studio) => webhook(studio).$delete, ["webhook"]);
export const rotateWebhook = defineChange((studio) => webhook(studio).rotate.$post, ["webhook"]);
export const enableWebhook = defineChange((studio) => webhook(studio).enable.$post, ["webhook"]);
export const testWebhook = defineChange((studio) => webhook(studio).test.$post, ["webhook"]);
export const resendFailed = defineChange((studio) => webhook(studio).resend.$post, ["webhook"]);
export const resendDelivery = defineChange(
  (studio) => webhook(studio).deliveries[":deliveryId"].resend.$post,
  ["webhook"],
);
export const setMailFrequencies = defineChange(({ email }) => email.$patch, ["notification"]);
export const sendTestMail = defineChange(({ email }) => email.test.$post, ["notification"]);

const notifications = [{ type: "notification", id: null }] as const;
export const readNotifications = ({ studioId }: { studioId: string }, ids: string[]) =>
  change(studioId, notifications, (_, { me }) => me.notifications.read.$post({ json: { ids } }));
/** Marks those of events before a time as read. */
export const readAllNotifications = ({ studioId }: { studioId: string }, before: string) =>
  change(studioId, notifications, (_, { me }) => me.notifications.read.$post({ json: { before, studioId } }));
