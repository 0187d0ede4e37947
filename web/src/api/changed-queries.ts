import type { QueryKey } from "@tanstack/react-query";

/**
 * An object that the server announced, or that this page changed. `type` is the first part of its activity's action, or
 * `notification` for the user's own notifications, which are no activity.
 */
export interface ChangedObject {
  type: string;
  id: string | null;
}

/**
 * The types of objects that each query of a studio shows, by the third part of its key. A query that is missing here
 * shows all: the activity, and the AI clients, because every change by a client is a call.
 */
const shownTypes: Readonly<Record<string, readonly string[]>> = {
  post: ["asset", "publication", "platform"],
  posts: ["post", "asset", "publication", "platform"],
  "post-summaries": ["post", "asset", "publication", "platform", "comment", "review"],
  "post-count": ["post", "publication", "platform", "review"],
  calendar: ["post", "asset", "publication", "platform"],
  publications: ["post", "publication", "platform"],
  publication: ["post", "platform"],
  "publication-counts": ["post", "publication", "platform"],
  comments: [],
  "upload-links": ["asset", "upload_link", "client"],
  "review-links": ["review", "member", "client"],
  assets: ["asset", "post", "trash"],
  asset: ["post"],
  trash: ["asset", "post", "trash"],
  platforms: ["platform"],
  slots: [],
  "calendar-feeds": ["member"],
  results: [],
  "account-results": ["post", "publication", "platform"],
  members: ["member"],
  invitations: ["invitation", "member"],
  webhooks: ["webhook"],
  notifications: ["notification"],
  email: ["notification"],
  // These follow from the post that the page shows, or are requested by the user.
  revisions: [],
  revision: [],
  "changes-since": [],
  undo: [],
};

/** The types of objects whose id is the fourth part of the key. Comments and reviews have the id of their post. */
const ownTypes: Readonly<Record<string, readonly string[]>> = {
  post: ["post"],
  publication: ["publication"],
  results: ["publication"],
  comments: ["comment", "post", "review"],
  "review-links": ["post"],
  "upload-links": ["post"],
  asset: ["asset"],
};

/** These change the user's permissions, or what everything shows. */
const memberTypes = ["member", "studio"];

/**
 * Whether a query shows one of these objects of a studio; for undefined, whether it shows anything of the studio. Without
 * a studio, only the user's own studios and roles can be affected.
 */
export function isAffected(
  [scope, queryStudioId, name, objectId]: QueryKey,
  studioId: string | null,
  objects: readonly ChangedObject[] | undefined,
): boolean {
  if (scope === "me") return objects?.some(({ type }) => memberTypes.includes(type)) === true;
  if (queryStudioId !== studioId) return false;
  if (!objects) return true;
  if (name === undefined) return objects.some(({ type }) => memberTypes.includes(type));
  const types = shownTypes[name as string];
  return objects.some(
    ({ type, id }) =>
      type === "studio" ||
      (!types && type !== "notification") ||
      types?.includes(type) === true ||
      (id === objectId && ownTypes[name as string]?.includes(type) === true),
  );
}
