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
  /** The same for every repetition of one publication's commit. */
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
  /** Posts that may be the one whose response was lost, the most likely first. */
  findPosts: (body: JsonObject, context: PublishContext) => RemotePost[];
  /** How long the platform may need after a lost response until the post can be found. Absent: seconds. */
  getAppearanceTime?: (content: PublicationContent) => number | undefined;
}

/** A response that is not a success. */
export interface ErrorResponse {
  status: number;
  headers: Headers;
  /** Empty if it is not a JSON object. */
  body: JsonObject;
}

/**
 * `checkAfterMs`: still in progress, and the platform says when to ask again. `expired`: it can no longer become
 * public.
 */
export type ProcessingStatus = "in_progress" | { checkAfterMs: number } | "ready" | "rejected" | "expired";

/** `published`: it is public, but its status does not name the post. */
export type ContainerStatus = ProcessingStatus | "published" | RemotePost;

/** How a platform publishes, as data and pure functions. One runner executes it. */
export interface Publishing {
  /** The hosts of public posts. */
  hosts: (endpoints: Pick<Endpoints, "api">) => string[];
  /** Set if the platform fetches these files from a URL of this server, which must be public. */
  fetchesMedia?: "all" | "videos";
  /** Says what an error response means, if its status does not. Undefined: decide by the status. */
  classifyError?: (response: ErrorResponse) => FailedOutcome | undefined;
  /** Says whether the account has reached the platform's quota of posts. */
  quota?: {
    buildCall: (context: PublishContext) => ApiCall;
    isReached: (body: JsonObject) => boolean;
  };
  /** Uploads one file before the post refers to it. A function chooses by file; undefined: no upload. */
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
   * What to do if the response was lost. `repeatWithinMs`: how long the platform recognizes the commit's key, with a
   * margin. `container`: its status says whether the post is public, and it can become public only once.
   * `publishedContainer`: the same, but the platform does not promise that a repeated commit is harmless, so the commit
   * is never repeated; the account's posts say which post the container became. `unreadable`: the platform does not let
   * us read posts, so a user has to check. Otherwise the account's newest posts are compared with what was sent.
   */
  reconcile:
    | "container"
    | "unreadable"
    | { repeatWithinMs: number }
    | { publishedContainer: AccountPosts }
    | (AccountPosts & {
        /** Ids of all posts in the response, read before the commit: none of these posts can be what it created. */
        listIds?: (body: JsonObject) => string[];
        /** Reads the exact text of a post from `findPosts`, which the list does not have. */
        exactText?: {
          buildCall: (context: PublishContext, post: RemotePost) => ApiCall;
          isSame: (body: JsonObject, context: PublishContext) => boolean;
        };
      });
}
