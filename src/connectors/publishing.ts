import type { Account } from "#domain/platforms/connection.ts";
import type { AccessToken } from "#domain/platforms/ports.ts";
import type { ContentAsset, PublicationContent, PublicationProgress } from "#domain/publishing/ports.ts";
import type { ApiCall, Endpoints, JsonObject } from "./platform.ts";
import type { UploadForm } from "./upload-body.ts";

/** What the calls of a publication can use. */
export interface PublishContext extends AccessToken {
  account: Pick<Account, "id" | "handle">;
  endpoints: Pick<Endpoints, "api">;
  content: PublicationContent;
  progress: PublicationProgress;
  /** The same for every repetition of one publication's commit. */
  commitKey: string;
  committedAt?: number | undefined;
}

export interface RemotePost {
  id: string;
  url: string | null;
}

/** How a platform publishes, as data and pure functions. One runner executes it. */
export interface Publishing {
  /** The hosts of public posts. */
  hosts: (endpoints: Pick<Endpoints, "api">) => string[];
  /** Uploads one file before the post refers to it. */
  media?: {
    /** The file is the body, or a field of the form. */
    buildCall: (context: PublishContext, asset: ContentAsset) => ApiCall & { upload?: UploadForm };
    parseId: (body: JsonObject) => string;
    /** For platforms that may process media after the upload. */
    processing?: {
      /** Whether the status of the upload's response says so. */
      isPending: (status: number) => boolean;
      buildStatusCall: (context: PublishContext, mediaId: string) => ApiCall;
      parseStatus: (body: JsonObject, status: number) => "in_progress" | "ready" | "rejected";
    };
  };
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
    parseStatus: (body: JsonObject) => "in_progress" | "ready" | "rejected" | RemotePost;
  };
  /** The one request that makes the post public. */
  commit: {
    buildCall: (context: PublishContext) => ApiCall;
    parsePost: (body: JsonObject, context: PublishContext) => RemotePost;
  };
  /**
   * What to do if the response was lost. `repeatWithinMs`: how long the platform recognizes the commit's key, with a
   * margin. `container`: its status says whether the post is public, and it can become public only once. Otherwise the
   * account's newest posts are compared with what was sent.
   */
  reconcile:
    | "container"
    | { repeatWithinMs: number }
    | {
        buildCall: (context: PublishContext) => ApiCall;
        /** Candidates, the most likely first. */
        findPosts: (body: JsonObject, context: PublishContext) => RemotePost[];
        /** Ids of all posts in the response. Posts that are there before the commit are no candidates. */
        listIds?: (body: JsonObject) => string[];
        /** Reads a candidate's exact text, which the list does not have. */
        exactText?: {
          buildCall: (context: PublishContext, post: RemotePost) => ApiCall;
          isSame: (body: JsonObject, context: PublishContext) => boolean;
        };
      };
}
