import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { assetDetail, type AssetDetail } from "./asset.ts";
import { publicationView } from "./publication.ts";
import { type Crop, crop } from "./renditions/crop.ts";
import { singleLine, tagsView } from "./text.ts";
import { validationView } from "./validation/validate-post.ts";
import { bodyField, limitToAssets, type Variant, variant } from "./variant.ts";

export const postStatuses = ["draft", "ready", "archived"] as const;
export type PostStatus = (typeof postStatuses)[number];

/**
 * How far the publishing of a post is, independent of its status: `scheduled` if a publication is open, `published` if
 * one succeeded, and `editing` otherwise. A partly published post can be both `scheduled` and `published`.
 */
export const postStages = ["editing", "scheduled", "published"] as const;
export type PostStage = (typeof postStages)[number];

/** A post as stored in the database. */
export interface Post {
  id: string;
  studioId: string;
  title: string;
  body: string;
  status: PostStatus;
  revision: number;
  assetCount: number;
  /** Sorted by connection. Their assetIds may name assets that are no longer on the post. */
  variants: Variant[];
  /** May name assets that are no longer on the post. */
  crops: Crop[];
  tags: string[];
  createdBy: string;
  /** The AI client that created it for the user; null if the user did so in the web app. */
  createdByClientName: string | null;
  /** While ready: the revision at which it was marked ready. */
  readyRevision: number | null;
  isTrashed: boolean;
  createdAt: number;
  updatedAt: number;
}

export const postFields = {
  title: singleLine(300).describe("One line, up to 300 characters."),
  body: bodyField,
};

/** A post as the API and tools return it. */
export const postView = z.object({
  id: z.string(),
  title: z.string(),
  body: z.string(),
  status: z.enum(postStatuses),
  revision: z
    .number()
    .int()
    .describe("Increases with every change. Pass it when you change the post to detect conflicts."),
  readyRevision: z
    .number()
    .int()
    .nullable()
    .describe("While ready: the revision at which it was marked ready. A higher revision means it has changed."),
  assets: z.array(assetDetail).describe("In the order of the post."),
  variants: z.array(variant).describe("What single accounts receive instead of the body or of all assets."),
  crops: z
    .array(crop)
    .optional()
    .describe("Images that a platform receives cropped instead of padded, if its limits require it. Absent: none."),
  tags: tagsView,
  createdBy: z.string(),
  createdByClient: z.string().nullable().describe("The AI client that created it for this user, or null."),
  createdAt: z.string(),
  updatedAt: z.string(),
  url: z.string().describe("The post's page in the web app."),
  publications: z.array(publicationView).optional().describe("Newest first. Not included in lists."),
  validation: z
    .array(validationView)
    .optional()
    .describe("What each connected platform would reject or warn about. Not included in lists."),
});

export type PostView = z.infer<typeof postView>;

export function toPostView(baseUrl: string, post: Post, assets: readonly AssetDetail[]): PostView {
  const crops = post.crops.filter(({ assetId }) => assets.some(({ id }) => id === assetId));
  return {
    id: post.id,
    title: post.title,
    body: post.body,
    status: post.status,
    revision: post.revision,
    assets: [...assets],
    variants: limitToAssets(post.variants, assets),
    ...(crops.length === 0 ? {} : { crops }),
    tags: post.tags,
    createdBy: post.createdBy,
    createdByClient: post.createdByClientName,
    readyRevision: post.readyRevision,
    createdAt: toIsoTime(post.createdAt),
    updatedAt: toIsoTime(post.updatedAt),
    url: `${baseUrl}/studios/${post.studioId}/posts/${post.id}`,
  };
}

/** A malformed id yields the same `not_found` error as an id of another studio. */
export function parsePostId(postId: string): string {
  if (!isId("post", postId)) throw notFoundError("post");
  return postId;
}

export const revisionConflictError = (current: number): AppError =>
  new AppError("revision_conflict", { revision: current });
