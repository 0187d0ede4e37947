import { z } from "zod";
import type { AssetKind } from "./asset-kinds.ts";
import { kindNames } from "./asset.ts";
import type { Account } from "./connection.ts";
import { type PostStatus, postStatuses } from "./post.ts";
import { type PublicationState, visibleStates } from "./publication-states.ts";
import { tagsView } from "./tags.ts";

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
