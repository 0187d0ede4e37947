import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { kindNames } from "../assets/model/asset.ts";
import type { AssetKind } from "../assets/model/kinds.ts";
import { createThumbnailUrl, type ThumbnailUrlDeps } from "../assets/model/describe-asset.ts";
import { getAccountLabel, type Account } from "../platforms/connection.ts";
import { toVisibleState, visibleStates, type PublicationState } from "../publishing/states.ts";
import type { TimePosition } from "../page.ts";
import { tagsView } from "../tags.ts";
import type { PostSearchFilter } from "./ports.ts";
import { postStatuses, type PostStatus } from "./post.ts";

/** Maximum number of assets in the summary of a post. */
export const maxSummaryAssets = 3;
export const excerptLength = 280;

export interface SummaryAsset {
  id: string;
  kind: AssetKind;
  mimeType: string;
  filename: string;
  altText: string | null;
  isReady: boolean;
}

/** The latest publication of a post to one account, ignoring canceled ones. */
export interface SummaryPublication {
  id: string;
  connectionId: string;
  platform: string;
  account: Pick<Account, "id" | "handle" | "name">;
  state: PublicationState;
  createdAt: number;
  scheduledFor: number | null;
  publishedAt: number | null;
}

/** The parts of a post that lists in the web app show. */
export interface PostSummary {
  id: string;
  studioId: string;
  title: string;
  /** The start of the text. */
  excerpt: string;
  status: PostStatus;
  revision: number;
  tags: string[];
  createdBy: string;
  createdByName: string;
  createdByClientName: string | null;
  createdAt: number;
  updatedAt: number;
  assetCount: number;
  /** The first assets of the post, up to `maxSummaryAssets`. */
  assets: SummaryAsset[];
  /** Threads of comments that are not resolved. */
  openThreadCount: number;
  /** Whether someone asked for changes instead of approving the last request for an account. */
  wasSentBack: boolean;
  publications: SummaryPublication[];
}

export interface PostSummaryFilter extends PostSearchFilter {
  statuses: readonly PostStatus[];
  /** Only posts older than this id. */
  before?: string | undefined;
  limit: number;
}

export interface PostSummaryStore {
  /** The ids of posts, newest first, without posts in the trash. */
  listIds(studioId: string, filter: PostSummaryFilter): Promise<Pick<PostSummary, "id">[]>;
  /**
   * The ids of posts with an open publication, by the earliest planned time, without posts in the trash. `at` is 0 if one
   * of the open publications has no time.
   */
  listScheduledIds(
    studioId: string,
    filter: Pick<PostSummaryFilter, "statuses" | "createdBy" | "limit"> & {
      after: TimePosition | undefined;
    },
  ): Promise<{ id: string; at: number }[]>;
  /** How many posts `listIds` would return. */
  count(studioId: string, filter: PostSummaryFilter): Promise<number>;
  /** In the order of `postIds`, without posts in the trash. */
  listByIds(studioId: string, postIds: readonly string[]): Promise<PostSummary[]>;
}

export const summaryAssetView = z.object({
  id: z.string(),
  kind: z.enum(kindNames),
  filename: z.string(),
  altText: z.string().nullable(),
  thumbnailUrl: z.string().nullable(),
});

export const summaryPublicationView = z.object({
  id: z.string(),
  connectionId: z.string(),
  platform: z.string(),
  account: z.string(),
  state: z.enum(visibleStates),
  createdAt: z.string(),
  scheduledFor: z.string().nullable(),
  publishedAt: z.string().nullable(),
});

export const postSummaryView = z.object({
  id: z.string(),
  title: z.string(),
  excerpt: z.string(),
  /** Only in a search, if the text contains words of the query that the title does not. */
  match: z.object({ text: z.string(), marks: z.array(z.tuple([z.int(), z.int()])) }).optional(),
  status: z.enum(postStatuses),
  revision: z.number().int(),
  tags: tagsView,
  createdBy: z.object({ id: z.string(), name: z.string() }),
  createdByClient: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  assetCount: z.number().int(),
  assets: z.array(summaryAssetView),
  openThreadCount: z.number().int(),
  wasSentBack: z.boolean(),
  publications: z.array(summaryPublicationView),
});

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
