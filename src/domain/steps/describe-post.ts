import { toIsoTime } from "#lib/clock.ts";
import { getAccountLabel } from "../model/connection.ts";
import type {
  PostSummary,
  PostSummaryView,
  SummaryAsset,
  SummaryAssetView,
  SummaryPublication,
  SummaryPublicationView,
} from "../model/post-summary.ts";
import type { PostView } from "../model/post.ts";
import { toVisibleState } from "../model/publication-states.ts";
import { type PublicationView, toPublicationView } from "../model/publication.ts";
import { validatePost, type ValidationView } from "../model/validation/validate-post.ts";
import type { Deps } from "../ports/deps.ts";
import type { DetailFlags } from "../ports/posts.ts";
import { createThumbnailUrl, type ThumbnailUrlDeps } from "./describe-asset.ts";
import { type InspectDeps, inspectImages, maxCallWaitMs } from "./renditions.ts";

export type ValidationDeps = Pick<Deps, "platforms" | "textChecks" | "platformStore" | "assets"> & InspectDeps;

/** Validates the post against the rules of the studio's connected platforms. */
async function validateForStudio(deps: ValidationDeps, studioId: string, post: PostView): Promise<ValidationView[]> {
  const connections = await deps.platformStore.listConnected(studioId);
  if (connections.length === 0) return [];
  const hasImages = post.assets.some(({ kind }) => kind === "image");
  const assets = hasImages ? await deps.assets.listByPosts([post.id]) : [];
  const inspections = await inspectImages(deps, assets, maxCallWaitMs);
  return validatePost(deps, connections, { ...post, inspections });
}

/** A post's view contains only the newest publications; list_publications returns all of them. */
const maxPublications = 50;

async function listPublications(
  { publications }: Pick<Deps, "publications">,
  studioId: string,
  postId: string,
): Promise<PublicationView[]> {
  return (await publications.list(studioId, { postId, limit: maxPublications })).map(toPublicationView);
}

/** Adds the validation and the publications, which are part of a single post's view but not of a list of posts. */
export async function addDetails<View extends PostView>(
  deps: ValidationDeps & Pick<Deps, "posts" | "publications">,
  studioId: string,
  view: View,
): Promise<View> {
  return addExistingDetails(deps, studioId, view, await deps.posts.findDetailFlags(studioId, view.id));
}

/** Uses the flags to skip queries that would find nothing. */
export async function addExistingDetails<View extends PostView>(
  deps: ValidationDeps & Pick<Deps, "publications">,
  studioId: string,
  view: View,
  { hasPlatforms, hasPublications }: DetailFlags,
): Promise<View> {
  return {
    ...view,
    validation: hasPlatforms ? await validateForStudio(deps, studioId, view) : [],
    publications: hasPublications ? await listPublications(deps, studioId, view.id) : [],
  };
}

export function toPostSummaryView(
  deps: ThumbnailUrlDeps,
  { studioId, createdBy, createdByName, createdByClientName, ...post }: PostSummary,
): PostSummaryView {
  return {
    ...post,
    excerpt: post.excerpt.replaceAll(/\s+/g, " ").trim(),
    createdBy: { id: createdBy, name: createdByName },
    createdByClient: createdByClientName,
    createdAt: toIsoTime(post.createdAt),
    updatedAt: toIsoTime(post.updatedAt),
    assets: post.assets.map((asset) => toSummaryAssetView(deps, studioId, asset)),
    publications: post.publications.map(toSummaryPublicationView),
  };
}

export function toSummaryAssetView(
  deps: ThumbnailUrlDeps,
  studioId: string,
  { id, kind, mimeType, filename, altText, isReady }: SummaryAsset,
): SummaryAssetView {
  const thumbnailUrl = isReady ? createThumbnailUrl(deps, { id, studioId, mimeType }) : undefined;
  return { id, kind, filename, altText, thumbnailUrl: thumbnailUrl ?? null };
}

export const toSummaryPublicationView = ({
  account,
  state,
  createdAt,
  scheduledFor,
  publishedAt,
  ...publication
}: SummaryPublication): SummaryPublicationView => ({
  ...publication,
  account: getAccountLabel(account),
  state: toVisibleState(state),
  createdAt: toIsoTime(createdAt),
  scheduledFor: scheduledFor === null ? null : toIsoTime(scheduledFor),
  publishedAt: publishedAt === null ? null : toIsoTime(publishedAt),
});
