import type { TestDeps } from "./engines.ts";
import assert from "node:assert/strict";
import { createGrant } from "#domain/access/clients.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { addComment } from "#domain/comments/comments.ts";
import type { Role } from "#domain/policy.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { createCalendarFeed } from "#domain/publishing/calendar-feeds.ts";
import { toScheduleColumns } from "#domain/model/publish-time.ts";
import { inspectImages } from "#domain/steps/renditions.ts";
import { shareForReview } from "#domain/reviews/review-links.ts";
import { createInvitation } from "#domain/studios/invitations.ts";
import { undoClientChanges } from "#domain/undo/undo-changes.ts";
import { createUploadLink } from "#domain/uploads/create-upload-link.ts";
import { testWebhook } from "#domain/webhooks/deliveries.ts";
import { createWebhook } from "#domain/webhooks/webhooks.ts";
import { hours, minutes, toIsoTime } from "#lib/clock.ts";
import { call, type ApiResponse, type ApiServer } from "./api-server.ts";
import { createTestClock } from "./clock.ts";
import { newConnection } from "./platform-fixture.ts";
import { newPublication } from "./publishing-fixture.ts";
import { png } from "./samples.ts";
import { newMember, newStudio } from "./users.ts";

export interface MatrixRow {
  route: string;
  variant?: string;
  /** Names of objects that must exist, besides those in the route. */
  needs?: readonly string[];
  body?: object | ((getId: Scene["getId"]) => Promise<object>);
  /** The status for owner, admin and member. */
  statuses: readonly [number, number, number];
}

export interface Scene {
  /** The acting user. */
  self: Caller;
  cookie: string;
  /** The path of the studio in the API. */
  studio: string;
  /** Creates the object on the first call with its name. */
  getId: (name: string) => Promise<string>;
}

/** Returns a function that calls `create` once, and returns its result every time. */
function once<Value>(create: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined;
  return () => (result ??= create());
}

const since = toIsoTime(createTestClock()());
const inOneDay = toIsoTime(createTestClock()() + hours(24));

const platform = "sandbox";
const webhook = { url: "https://example.com/hook", events: ["post.*"] };

/** Every route of a studio, with its status for each role: 404 where the role must not learn that the object exists. */
export const matrix: readonly MatrixRow[] = [
  { route: "GET /", statuses: [200, 200, 200] },
  { route: "PATCH /", body: { name: "Other" }, statuses: [200, 200, 403] },
  { route: "POST /deletion", body: { name: "Studio" }, statuses: [204, 403, 403] },
  { route: "POST /deletion", variant: "with a wrong name", body: { name: "Studi" }, statuses: [400, 403, 403] },
  { route: "GET /activity", statuses: [200, 200, 403] },
  { route: "GET /events", statuses: [200, 200, 200] },
  { route: "GET /members", statuses: [200, 200, 200] },
  { route: "PATCH /members/:member", body: { role: "admin" }, statuses: [200, 200, 403] },
  { route: "PATCH /members/:member", variant: "to owner", body: { role: "owner" }, statuses: [200, 403, 403] },
  { route: "PATCH /members/:owner", body: { role: "member" }, statuses: [200, 403, 403] },
  { route: "PATCH /members/:unknown", body: { role: "member" }, statuses: [404, 404, 403] },
  { route: "DELETE /members/:member", statuses: [204, 204, 403] },
  { route: "DELETE /members/:owner", statuses: [204, 403, 403] },
  { route: "DELETE /members/:unknown", statuses: [404, 404, 403] },
  { route: "DELETE /members/:self", statuses: [204, 204, 204] },
  { route: "GET /invitations", statuses: [200, 200, 403] },
  { route: "POST /invitations", body: { role: "member" }, statuses: [201, 201, 403] },
  { route: "POST /invitations", variant: "for an admin", body: { role: "admin" }, statuses: [201, 201, 403] },
  { route: "POST /invitations", variant: "for an owner", body: { role: "owner" }, statuses: [201, 403, 403] },
  { route: "DELETE /invitations/:invitation", statuses: [204, 204, 403] },
  { route: "DELETE /invitations/:unknown", statuses: [404, 404, 403] },
  { route: "GET /posts", statuses: [200, 200, 200] },
  { route: "GET /post-summaries", statuses: [200, 200, 200] },
  { route: "GET /post-count", statuses: [200, 200, 200] },
  { route: "POST /posts", body: { title: "New" }, statuses: [201, 201, 201] },
  { route: "GET /posts/:post", statuses: [200, 200, 200] },
  { route: "PATCH /posts/:post", body: { title: "Other" }, statuses: [200, 200, 200] },
  { route: "DELETE /posts/:post", statuses: [204, 204, 204] },
  { route: "GET /posts/:post/revisions", statuses: [200, 200, 200] },
  { route: "GET /posts/:post/revisions/:revision", statuses: [200, 200, 200] },
  { route: "POST /posts/:post/restore", body: { revision: 1 }, statuses: [200, 200, 200] },
  { route: "POST /posts/:post/restore", variant: "to no revision", body: { revision: 9 }, statuses: [404, 404, 404] },
  { route: "GET /posts/:post/comments", statuses: [200, 200, 200] },
  { route: "POST /posts/:post/comments", body: { body: "Good" }, statuses: [201, 201, 201] },
  { route: "PATCH /posts/:post/comments/:comment", body: { resolved: true }, statuses: [200, 200, 200] },
  { route: "PATCH /comments/:comment", body: { resolved: true }, statuses: [200, 200, 200] },
  { route: "PATCH /comments/:unknown", body: { resolved: true }, statuses: [404, 404, 404] },
  { route: "DELETE /posts/:post/comments/:ownComment", statuses: [204, 204, 204] },
  { route: "DELETE /comments/:ownComment", statuses: [204, 204, 204] },
  { route: "DELETE /comments/:comment", variant: "of another user", statuses: [403, 403, 403] },
  { route: "GET /trash", statuses: [200, 200, 200] },
  { route: "DELETE /trash", needs: ["trashedPost"], statuses: [204, 204, 403] },
  { route: "POST /trash/:trashedPost/restore", statuses: [200, 200, 200] },
  { route: "POST /trash/:trashedAsset/restore", statuses: [200, 200, 200] },
  { route: "POST /trash/:post/restore", variant: "of a post that is not there", statuses: [404, 404, 404] },
  { route: "GET /assets", statuses: [200, 200, 200] },
  { route: "GET /assets/:asset", statuses: [200, 200, 200] },
  { route: "PATCH /assets/:asset", body: { altText: "A harbour" }, statuses: [200, 200, 200] },
  { route: "DELETE /assets/:asset", statuses: [204, 204, 204] },
  { route: "DELETE /assets/:attached", variant: "while on a post", statuses: [409, 409, 409] },
  { route: "POST /assets/:asset/copy", statuses: [201, 201, 201] },
  { route: "POST /assets/:attached/copy", variant: "while on a post", statuses: [201, 201, 201] },
  { route: "GET /posts/:post/assets", statuses: [200, 200, 200] },
  { route: "PUT /posts/:post/assets/:asset", statuses: [200, 200, 200] },
  { route: "DELETE /posts/:post/assets/:attached", statuses: [204, 204, 204] },
  { route: "GET /posts/:post/assets/:attached/renditions/:connection", statuses: [200, 200, 200] },
  {
    route: "PATCH /posts/:post/assets/:attached/crop",
    body: { platform, mode: "crop" },
    statuses: [200, 200, 200],
  },
  { route: "GET /review-links", statuses: [200, 200, 200] },
  {
    route: "POST /review-links",
    body: async (getId) => ({ postIds: [await getId("post")], holdsPublishing: true }),
    statuses: [201, 201, 201],
  },
  { route: "DELETE /review-links/:review", statuses: [204, 204, 403] },
  { route: "DELETE /review-links/:ownReview", statuses: [204, 204, 204] },
  { route: "POST /upload-links", statuses: [201, 201, 201] },
  { route: "GET /posts/:post/upload-links", statuses: [200, 200, 200] },
  { route: "POST /posts/:post/upload-links", body: {}, statuses: [201, 201, 201] },
  { route: "DELETE /posts/:post/upload-links/:link", statuses: [204, 204, 204] },
  {
    route: "POST /posts/:post/publications",
    body: async (getId) => ({ connectionIds: [await getId("connection")] }),
    statuses: [201, 201, 201],
  },
  { route: "GET /publications", statuses: [200, 200, 200] },
  { route: "GET /calendar", variant: "without a range", statuses: [400, 400, 400] },
  { route: "GET /calendar-feeds", statuses: [200, 200, 200] },
  { route: "POST /calendar-feeds", statuses: [201, 201, 201] },
  { route: "DELETE /calendar-feeds", needs: ["ownFeed"], statuses: [204, 204, 204] },
  { route: "GET /slots", statuses: [200, 200, 200] },
  {
    route: "PUT /slots",
    body: async (getId) => ({ slots: [{ connectionId: await getId("connection"), weekday: 1, time: "09:00" }] }),
    statuses: [200, 200, 403],
  },
  { route: "GET /results", variant: "without an account", statuses: [400, 400, 400] },
  { route: "GET /publications/counts", statuses: [200, 200, 200] },
  { route: "GET /publications/:proposed", statuses: [200, 200, 200] },
  { route: "GET /publications/:proposed/results", statuses: [200, 200, 200] },
  { route: "POST /publications/:proposed/results/refresh", statuses: [404, 404, 404] },
  { route: "POST /publications/:proposed/approve", body: { revision: 1 }, statuses: [200, 200, 200] },
  { route: "POST /publications/:scheduled/unapprove", statuses: [200, 200, 200] },
  {
    route: "POST /posts/:proposedPost/approve",
    body: async (getId) => ({ revision: 1, publications: [{ id: await getId("proposed"), scheduledFor: null }] }),
    statuses: [200, 200, 200],
  },
  { route: "POST /publications/:proposed/cancel", statuses: [200, 200, 200] },
  { route: "POST /publications/:proposed/send-back", statuses: [200, 200, 200] },
  { route: "POST /publications/:proposed/reschedule", body: { at: inOneDay }, statuses: [200, 200, 200] },
  { route: "POST /publications/:proposed/continue", statuses: [409, 409, 409] },
  { route: "POST /publications/:unconfirmed/resolve", body: { outcome: "retry" }, statuses: [200, 200, 200] },
  { route: "GET /platforms", statuses: [200, 200, 200] },
  { route: "POST /platforms/connect", body: { platform }, statuses: [201, 201, 403] },
  { route: "POST /platforms/connect", variant: "unknown", body: { platform: "nope" }, statuses: [400, 400, 403] },
  { route: "GET /platforms/:connection/choices", statuses: [200, 200, 200] },
  { route: "GET /platforms/:unknown/choices", statuses: [404, 404, 404] },
  { route: "DELETE /platforms/:connection", statuses: [200, 200, 403] },
  { route: "DELETE /platforms/:unknown", statuses: [404, 404, 403] },
  { route: "GET /webhooks", statuses: [200, 200, 403] },
  { route: "POST /webhooks", body: webhook, statuses: [201, 201, 403] },
  {
    route: "POST /webhooks",
    variant: "for no event",
    body: { ...webhook, events: ["x.*"] },
    statuses: [400, 400, 400],
  },
  { route: "DELETE /webhooks/:unknown", statuses: [404, 404, 403] },
  { route: "PATCH /webhooks/:webhook", body: { events: ["asset.*"] }, statuses: [200, 200, 403] },
  { route: "DELETE /webhooks/:webhook", statuses: [204, 204, 403] },
  { route: "POST /webhooks/:webhook/rotate", statuses: [200, 200, 403] },
  { route: "POST /webhooks/:webhook/enable", statuses: [200, 200, 403] },
  { route: "POST /webhooks/:webhook/test", statuses: [200, 200, 403] },
  { route: "POST /webhooks/:webhook/resend", body: { since }, statuses: [200, 200, 403] },
  { route: "GET /webhooks/:webhook/deliveries", statuses: [200, 200, 403] },
  { route: "POST /webhooks/:webhook/deliveries/:delivery/resend", statuses: [204, 204, 403] },
  { route: "POST /webhooks/:webhook/deliveries/:unknown/resend", statuses: [404, 404, 403] },
  { route: "GET /email", statuses: [200, 200, 200] },
  { route: "PATCH /email", body: { frequencies: { comment: "never" } }, statuses: [204, 204, 204] },
  { route: "PATCH /email", variant: "unknown", body: { frequencies: { other: "never" } }, statuses: [400, 400, 400] },
  { route: "POST /email/test", variant: "without a mail server", statuses: [400, 400, 400] },
  { route: "GET /clients", statuses: [200, 200, 200] },
  { route: "DELETE /clients", statuses: [200, 200, 200] },
  { route: "DELETE /clients/:grant", variant: "of another user", statuses: [204, 204, 404] },
  { route: "DELETE /clients/:ownGrant", statuses: [204, 204, 204] },
  { route: "POST /clients/:grant/allow", variant: "of another user", statuses: [404, 404, 404] },
  { route: "POST /clients/:ownGrant/allow", statuses: [204, 204, 204] },
  { route: "POST /clients/:grant/undo", variant: "of another user", body: { since }, statuses: [200, 200, 404] },
  { route: "POST /clients/:ownGrant/undo", body: { since }, statuses: [200, 200, 200] },
  { route: "POST /undos/:undo/undo", variant: "of another user", statuses: [200, 200, 404] },
];

/** Creates a grant whose client has created a post, so that an undo has something to undo. */
const newGrant = async (deps: TestDeps, caller: Caller): Promise<string> => {
  const client = { id: "c", name: "C" };
  const input = { clientVerified: false, redirectHost: "h", scopes: ["studio:read" as const] };
  const grant = await createGrant(deps, caller, { clientId: client.id, clientName: client.name, ...input });
  const viaClient: Caller = { ...caller, client, credential: { kind: "grant", grantId: grant.id } };
  await createPost(deps, viaClient, { title: "By a client", body: "" });
  return grant.id;
};

const upload = async (deps: TestDeps, caller: Caller): Promise<string> => {
  const base64 = (await png()).toString("base64");
  return (await uploadAssetInline(deps, caller, { kind: "image", mimeType: "image/png", base64 })).assetId;
};

/** Creates a studio with the acting user, who has this role, and each object when its id is first read. */
export async function createScene(deps: TestDeps, server: Pick<ApiServer, "signIn">, role: Role): Promise<Scene> {
  const owner = await newStudio(deps);
  const self = await newMember(deps, owner, role);
  const getMember = once(() => newMember(deps, owner, "member"));
  const getGrant = once(async () => newGrant(deps, await getMember()));
  const getPost = once(async () => (await createPost(deps, owner, { title: "Post", body: "Text" })).id);
  const getProposed = once(() => newPublication(deps, owner, "proposed", platform));
  const getWebhook = once(async () => (await createWebhook(deps, owner, webhook)).id);
  const creators: Record<string, () => Promise<string>> = {
    revision: async () => "1",
    trashedPost: async () => {
      const { id } = await createPost(deps, owner, { title: "Deleted", body: "" });
      await deletePost(deps, owner, { postId: id });
      return id;
    },
    trashedAsset: async () => {
      const assetId = await upload(deps, owner);
      await deleteAsset(deps, owner, { assetId });
      return assetId;
    },
    undo: async () => (await undoClientChanges(deps, owner, { grantId: await getGrant(), since })).undoId ?? "",
    owner: async () => (await newMember(deps, owner, "owner")).user.id,
    member: async () => (await getMember()).user.id,
    self: async () => self.user.id,
    unknown: async () => deps.newId("user"),
    invitation: async () => (await createInvitation(deps, owner, { role: "member" })).id,
    post: getPost,
    comment: async () => (await addComment(deps, await getMember(), { postId: await getPost(), body: "A comment" })).id,
    ownComment: async () => (await addComment(deps, self, { postId: await getPost(), body: "Mine" })).id,
    asset: () => upload(deps, owner),
    attached: async () => {
      const [postId, assetId] = [await getPost(), await upload(deps, owner)];
      await attachAsset(deps, owner, { postId, assetId });
      // The route of a preview waits for this only ten seconds, which a busy machine may exceed.
      await inspectImages(deps, await deps.assets.listByPosts([postId]), minutes(1));
      return assetId;
    },
    connection: () => newConnection(deps, owner, "studio", platform),
    ownFeed: async () => (await createCalendarFeed(deps, self)).url,
    webhook: getWebhook,
    delivery: async () => (await testWebhook(deps, owner, { webhookId: await getWebhook() })).id,
    link: async () => (await createUploadLink(deps, owner, { postId: await getPost(), inPlace: false })).id,
    review: async () =>
      (await shareForReview(deps, await newMember(deps, owner, "member"), { postIds: [await getPost()] })).id,
    ownReview: async () => (await shareForReview(deps, self, { postIds: [await getPost()] })).id,
    grant: getGrant,
    ownGrant: () => newGrant(deps, self),
    proposed: getProposed,
    proposedPost: async () => (await deps.publications.find(owner.studio.id, await getProposed()))?.postId ?? "",
    scheduled: async () => {
      const publicationId = await newPublication(deps, owner, "proposed", platform);
      const schedule = toScheduleColumns(null, deps.clock());
      await deps.writes.publications.update(
        publicationId,
        { state: "scheduled", ...schedule },
        { states: ["proposed"] },
      );
      return publicationId;
    },
    unconfirmed: () => newPublication(deps, owner, "unconfirmed", platform),
  };
  const getters = Object.fromEntries(Object.entries(creators).map(([name, create]) => [name, once(create)]));
  return {
    self,
    cookie: await server.signIn(self),
    studio: `/api/studios/${owner.studio.id}`,
    getId: (name) => getters[name]?.() ?? assert.fail(`no id is called ${name}`),
  };
}

/** Sends the request of a row, with the ids of the scene. */
export async function callRow(server: Pick<ApiServer, "base">, scene: Scene, row: MatrixRow): Promise<ApiResponse> {
  const { cookie, studio, getId } = scene;
  const [method = "", path = ""] = row.route.split(" ");
  const parts = path.split("/").map(async (part) => (part.startsWith(":") ? getId(part.slice(1)) : part));
  const url = path === "/" ? studio : studio + (await Promise.all(parts)).join("/");
  const { body } = row;
  return call(server, method, url, { cookie, body: typeof body === "function" ? await body(getId) : body });
}
