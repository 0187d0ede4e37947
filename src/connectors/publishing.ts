import type { Account } from "#domain/platforms/connection.ts";
import type { AccessToken } from "#domain/platforms/ports.ts";
import type { ContentAsset, FailedOutcome, PublicationContent } from "#domain/publishing/ports.ts";
import type { PublicationProgress } from "#domain/publishing/progress.ts";
import type { MediaUpload } from "./media-upload.ts";
import type { ApiCall, Endpoints, JsonObject } from "./platform.ts";

/** What the calls of a publication can use. */
export interface PublishContext extends AccessToken {
  account: Pick<Account, "id" | "handle">;
  endpoints: Pick<Endpoints, "api">;
  content: PublicationContent;
  progress: PublicationProgress;
  /** Identifies the commit: a repeated commit of a publication has the same key. */
  commitKey: string;
  committedAt?: number | undefined;
  /** Signs a public URL from which the platform can fetch this file, and no other, for an hour. */
  createMediaUrl: (asset: ContentAsset) => string;
}

export interface RemotePost {
  id: string;
  url: string | null;
}

/** Reads the account's newest posts. */
export interface AccountPosts {
  buildCall: (context: PublishContext) => ApiCall;
  /** Finds the posts that the commit whose response was lost may have created, the most likely first. */
  findPosts: (body: JsonObject, context: PublishContext) => RemotePost[];
  /**
   * How long after a lost response the post may take to appear. Without this function, a few seconds are enough.
   */
  getAppearanceDelayMs?: (content: PublicationContent) => number | undefined;
}

/** A response that is not a success. */
export interface ErrorResponse {
  status: number;
  headers: Headers;
  /** Empty if the response is not a JSON object. */
  body: JsonObject;
}

/**
 * The status of media, or of a container. `checkAfterMs`: still in progress, and the platform states when to check again.
 * `expired`: it can no longer become public.
 */
export type ProcessingStatus = "in_progress" | { checkAfterMs: number } | "ready" | "rejected" | "expired";

/** `published`: the container is public, but its status does not name the post. */
export type ContainerStatus = ProcessingStatus | "published" | RemotePost;

/** How a platform publishes, as data and pure functions. One publisher executes them for all platforms. */
export interface Publishing {
  /** The hosts in the URLs of public posts. */
  listPostHosts: (endpoints: Pick<Endpoints, "api">) => string[];
  /** The files that the platform fetches from a URL of this server, which must be public. */
  fetchedMedia?: "all" | "videos";
  /** Returns what an error response means; undefined if its status is enough to decide. */
  classifyError?: (response: ErrorResponse) => FailedOutcome | undefined;
  /** Checks whether the account has reached the platform's quota of posts. */
  quota?: {
    buildCall: (context: PublishContext) => ApiCall;
    isReached: (body: JsonObject) => boolean;
  };
  /** Uploads one file before the post refers to it. A function decides for each file; undefined means no upload. */
  media?: MediaUpload | ((asset: ContentAsset, content: PublicationContent) => MediaUpload | undefined);
  /** Looks up the accounts that the text mentions. A name that is not an account stays text. */
  mentions?: {
    listNames: (content: PublicationContent) => string[];
    buildCall: (context: PublishContext, name: string) => ApiCall;
    parseId: (body: JsonObject) => string;
  };
  /** Prepares a container that `commit` makes public. */
  container?: {
    buildCall: (context: PublishContext) => ApiCall;
    parseId: (body: JsonObject) => string;
    buildStatusCall: (context: PublishContext) => ApiCall;
    parseStatus: (body: JsonObject) => ContainerStatus;
  };
  /** The one request that makes the post public. */
  commit: {
    buildCall: (context: PublishContext) => ApiCall;
    parsePost: (body: JsonObject, context: PublishContext, headers: Headers) => RemotePost;
    /** For posts that the platform processes after the commit. The status is read with the id from `parsePost`. */
    processing?: {
      isRequired: (content: PublicationContent) => boolean;
      buildStatusCall: (context: PublishContext, id: string) => ApiCall;
      parseStatus: (body: JsonObject, context: PublishContext) => "in_progress" | "rejected" | RemotePost;
    };
  };
  /** Reads the URL of a post, for platforms whose commit returns only an id. */
  permalink?: {
    buildCall: (context: PublishContext, postId: string) => ApiCall;
    parseUrl: (body: JsonObject) => string | null;
  };
  /**
   * What to do if the response to the commit was lost:
   * - `repeatWithinMs`: repeat the commit, for as long as the platform recognizes the commit's key, with a margin.
   *   `isRejectionFinal`: the platform returns the first response again, so a rejection shows that nothing is public.
   * - `container`: read its status, which shows whether the post is public. A container can become public only once, so
   *   the commit can be repeated.
   * - `publishedContainer`: read its status, but never repeat the commit, because the platform does not promise that
   *   this is harmless. The account's posts show which post the container became.
   * - `unreadable`: the platform does not let us read posts, so a user has to check.
   * - `AccountPosts`: compare the account's newest posts with what was sent.
   */
  reconcile:
    | "container"
    | "unreadable"
    | { repeatWithinMs: number; isRejectionFinal?: boolean }
    | { publishedContainer: AccountPosts }
    | (AccountPosts & {
        /** Ids of all posts in a list that is read before the commit: the commit can't have created these posts. */
        listIds?: (body: JsonObject) => string[];
        /** Reads the exact text of a post from `findPosts`, which the list does not have. */
        exactText?: {
          buildCall: (context: PublishContext, post: RemotePost) => ApiCall;
          isSame: (body: JsonObject, context: PublishContext) => boolean;
        };
      });
}
