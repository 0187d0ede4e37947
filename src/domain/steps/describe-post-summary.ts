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
import { toVisibleState } from "../model/publication-states.ts";
import { createThumbnailUrl, type ThumbnailUrlDeps } from "./describe-asset.ts";

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
