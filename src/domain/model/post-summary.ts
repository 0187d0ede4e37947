import type { RevisionAsset } from "./asset.ts";
import type { Post, PostView } from "./post.ts";
import type { PublicationView, PublicationWithNames } from "./publication.ts";
import type { PostReviewState } from "./review.ts";
import type { MatchExcerpt } from "./search/match-excerpt.ts";
import type { UserOrClient } from "./user-or-client.ts";

/** Maximum number of assets in the summary of a post. */
export const maxSummaryAssets = 3;
export const excerptLength = 280;

export interface SummaryAsset extends RevisionAsset {
  isReady: boolean;
}

/** The latest publication of a post to one account, ignoring canceled ones. */
export type SummaryPublication = Pick<
  PublicationWithNames,
  "id" | "connectionId" | "platform" | "account" | "state" | "createdAt" | "scheduledFor" | "publishedAt"
>;

type SharedFields = "id" | "title" | "status" | "revision" | "tags";

/** The parts of a post that lists in the web app show. */
export interface PostSummary extends Pick<
  Post,
  SharedFields | "studioId" | "createdBy" | "createdByClientName" | "createdAt" | "updatedAt" | "assetCount"
> {
  /** The start of the text. */
  excerpt: string;
  createdByName: string;
  /** The first assets of the post, up to `maxSummaryAssets`. */
  assets: SummaryAsset[];
  /** Threads of comments that are not resolved. */
  openThreadCount: number;
  /** Whether someone asked for changes instead of approving the last request for an account. */
  wasSentBack: boolean;
  /** What guests of review links decided; null without a link that counts. */
  review: PostReviewState | null;
  publications: SummaryPublication[];
}

export interface SummaryAssetView extends Pick<SummaryAsset, "id" | "kind" | "filename" | "altText"> {
  thumbnailUrl: string | null;
}

export type SummaryPublicationView = Pick<PublicationView, keyof SummaryPublication>;

/** Where a search found its words: in the text, a text for one account or a comment. */
export type PostMatch = MatchExcerpt & { source: "text" | "account" | "comment" };

export interface PostSummaryView
  extends
    Pick<PostView, SharedFields | "createdByClient" | "createdAt" | "updatedAt">,
    Pick<PostSummary, "excerpt" | "assetCount" | "openThreadCount" | "wasSentBack" | "review"> {
  createdBy: UserOrClient;
  assets: SummaryAssetView[];
  publications: SummaryPublicationView[];
  /** Only in a search, if a text or a comment contains words of the query that the title does not. */
  match?: PostMatch;
}
