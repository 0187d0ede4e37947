import type { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { getAccountLabel } from "../model/connection.ts";
import type {
  PostSummary,
  postSummaryView,
  SummaryAsset,
  summaryAssetView,
  SummaryPublication,
  summaryPublicationView,
} from "../model/post-summary.ts";
import { toVisibleState } from "../model/publication-states.ts";
import { createThumbnailUrl, type ThumbnailUrlDeps } from "./describe-asset.ts";

export function toPostSummaryView(deps: ThumbnailUrlDeps, post: PostSummary): z.infer<typeof postSummaryView> {
  return {
    id: post.id,
    title: post.title,
    excerpt: post.excerpt.replaceAll(/\s+/g, " ").trim(),
    status: post.status,
    revision: post.revision,
    tags: post.tags,
    createdBy: { id: post.createdBy, name: post.createdByName },
    createdByClient: post.createdByClientName,
    createdAt: toIsoTime(post.createdAt),
    updatedAt: toIsoTime(post.updatedAt),
    assetCount: post.assetCount,
    assets: post.assets.map((asset) => toSummaryAssetView(deps, post.studioId, asset)),
    openThreadCount: post.openThreadCount,
    wasSentBack: post.wasSentBack,
    publications: post.publications.map(toSummaryPublicationView),
  };
}

export function toSummaryAssetView(
  deps: ThumbnailUrlDeps,
  studioId: string,
  { id, kind, mimeType, filename, altText, isReady }: SummaryAsset,
): z.infer<typeof summaryAssetView> {
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
}: SummaryPublication): z.infer<typeof summaryPublicationView> => ({
  ...publication,
  account: getAccountLabel(account),
  state: toVisibleState(state),
  createdAt: toIsoTime(createdAt),
  scheduledFor: scheduledFor === null ? null : toIsoTime(scheduledFor),
  publishedAt: publishedAt === null ? null : toIsoTime(publishedAt),
});
