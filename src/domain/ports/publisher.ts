import type { AccountChoices } from "#portable/post-options.ts";
import type { PlatformConnection } from "../model/connection.ts";
import type { ReplyTarget } from "../model/publication-parts.ts";
import type { PlatformProgress } from "../model/publication-progress.ts";
import type { PublicationContent } from "../model/publication-content.ts";
import type { Metrics } from "../model/results.ts";
import type { AccessToken } from "./platforms.ts";

// What the worker calls a platform for, and the outcomes of these calls. docs/glossary.md lists the outcomes.

/**
 * A call that did not succeed. `rejected` and `reconnect` have a sentence as message; the others have the part of a
 * sentence that follows a colon.
 */
export type FailedOutcome =
  /** The platform rejected the request; nothing is public. */
  | { kind: "rejected"; code: string; message: string }
  /** Nothing is public; the platform asks for a retry later. */
  | { kind: "retry_later"; retryAfterMs: number | undefined; message: string }
  /** The credentials are no longer valid; nothing is public. */
  | { kind: "reconnect"; message: string }
  /** The request may have been executed. Of `prepare`, whose requests publish nothing: the next run tries again. */
  | { kind: "unknown"; message: string; retryAfterMs?: number | undefined };

interface PublishedOutcome {
  kind: "published";
  remoteId: string;
  url: string | null;
  /** What differs from the approved post, such as its visibility. */
  problem?: { code: string; message: string } | undefined;
}

export type PrepareOutcome =
  | FailedOutcome
  /** The commit can be sent, with this progress. An earlier commit, if there was one, made nothing public. */
  | { kind: "prepared"; progress: PlatformProgress }
  /** An earlier commit made the post public, or the platform still processes it. No further commit is sent. */
  | { kind: "already_committed"; progress: PlatformProgress }
  /** What was prepared has failed or expired at the platform, and nothing is public. The next run starts over. */
  | { kind: "expired" };

/** The outcome of the request that makes a post public. */
export type CommitOutcome =
  | FailedOutcome
  | PublishedOutcome
  /** The platform accepted the request, and publishes or rejects the post after it has processed the media. */
  | { kind: "processing"; progress: PlatformProgress };

/** What a lookup shows about an earlier commit. Here, `rejected` means that the post can't become public anymore. */
export type LookUpOutcome =
  | FailedOutcome
  | PublishedOutcome
  /**
   * No post at the platform matches this commit, or several do. It may still be public, so a user decides.
   * `appearsWithinMs`: how long the platform may need until the post can be found, if that is long.
   */
  | { kind: "not_found"; appearsWithinMs?: number | undefined }
  /** The platform can't tell this server whether the post is public. */
  | { kind: "undecidable"; reason?: string }
  /** A repeated commit can't publish the post twice. `ifRejected`: what a rejected repetition shows about the post. */
  | { kind: "repeatable"; ifRejected: "failed" | "unconfirmed" };

export interface PrepareRequest extends AccessToken {
  connection: Pick<PlatformConnection, "platform" | "instance" | "account">;
  /** Of one part. */
  content: PublicationContent;
  /** Null for the first part. */
  replyTo: ReplyTarget | null;
  progress: PlatformProgress;
}

export interface CommitRequest extends PrepareRequest {
  /** Identifies the commit: a repetition has the same key. */
  commitKey: string;
  committedAt: number;
}

export interface LookUpRequest extends CommitRequest {
  /** Earlier than `committedAt` if a user published again what an earlier commit had sent. */
  firstCommittedAt: number;
  /** The time since `committedAt`. */
  elapsedMs: number;
  /** Whether another publication has this remote id. */
  isTaken(remoteId: string): Promise<boolean>;
}

/** A call on behalf of an account. */
export interface AccountRequest extends AccessToken {
  connection: Pick<PlatformConnection, "platform" | "instance" | "account">;
}

export type ReadChoicesOutcome = FailedOutcome | { kind: "read"; choices: AccountChoices };

export interface ReadResultsRequest extends AccountRequest {
  /** At most as many as `getResultBatchSize` says. */
  remoteIds: readonly string[];
  signal: AbortSignal;
}

/** `metrics` has all posts that were asked for, by remote id; those that the platform did not return were deleted. */
export type ReadResultsOutcome =
  | FailedOutcome
  | { kind: "read"; definition: number; metrics: ReadonlyMap<string, Metrics> };

/** Publishes at the platforms. Every call is limited in time. */
export interface Publisher {
  /** The hosts in the URLs of an account's public posts. */
  listPostHosts(connection: Pick<PlatformConnection, "platform" | "instance">): string[];
  /** Whether `prepare` can find out with this progress what became of an earlier commit. */
  canCheckCommit(platform: string, progress: PlatformProgress): boolean;
  /** Uploads media and prepares the commit; saves each step for later runs. After an abort, do not commit. */
  prepare(
    request: PrepareRequest,
    saveProgress: (progress: PlatformProgress) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<PrepareOutcome>;
  /** Sends the one request that makes the post public. */
  commit(request: CommitRequest): Promise<CommitOutcome>;
  /** Finds out whether a commit made the post public. */
  lookUp(request: LookUpRequest): Promise<LookUpOutcome>;
  /** Reads what the account offers for the options whose values depend on it. */
  readChoices(request: AccountRequest): Promise<ReadChoicesOutcome>;
  /** How old a post is when the platform's results are read, in hours. */
  getResultAges(platform: string): readonly number[];
  /** How many posts one request for results may name; 0 if the platform's results are not read. */
  getResultBatchSize(platform: string): number;
  readResults(request: ReadResultsRequest): Promise<ReadResultsOutcome>;
}
