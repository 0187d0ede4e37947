import type { FetchedMedia } from "#domain/model/platform.ts";
import type { Account } from "#domain/model/connection.ts";
import type { MissingReason } from "#domain/model/results.ts";
import type { AccountChoices, PostOptions } from "#portable/post-options.ts";
import type { AccessToken } from "#domain/ports/platforms.ts";
import type { ContentAsset } from "#domain/model/publication-content.ts";
import type {
  CommitOutcome,
  CommitRequest,
  FailedOutcome,
  LookUpOutcome,
  LookUpRequest,
  PrepareRequest,
} from "#domain/ports/publisher.ts";
import type { ApiCall, JsonObject } from "../platform.ts";
import type { SentFile } from "./upload-body.ts";

/**
 * How a platform publishes: what its `publish.ts` exports. `prepare`, `commit` and `lookUp` make their calls one after
 * another with `call`. A call that fails throws a `StepFailure`, which ends the step with the outcome of the call.
 */
export interface PublishModule {
  /** The hosts in the URLs of public posts. */
  listPostHosts(api: string): string[];
  /** The files that the platform fetches from a URL of this server, which must be public. */
  fetchedMedia?: FetchedMedia;
  /** Whether it publishes replies to the account's own posts (`replyTo`). */
  canReply?: true;
  /** Returns what an error response means; undefined if its status is enough to decide. */
  classifyError?(response: ErrorResponse): FailedOutcome | undefined;
  /** Whether `prepare` can find out what became of an earlier commit. Without this function, it never can. */
  canCheckCommit?(progress: ModuleProgress): boolean;
  /** Uploads the files and creates what the commit refers to. */
  prepare(context: PrepareContext): Promise<Preparation>;
  /** Sends the one request that makes the post public. */
  commit(context: CommitContext): Promise<CommitOutcome>;
  /** Finds out whether a commit whose outcome is unknown made the post public. */
  lookUp(context: LookUpContext): Promise<LookUpOutcome>;
  /** Reads what the account offers for the options whose values depend on it. */
  readChoices?(context: ResultsContext): Promise<AccountChoices>;
  /** Absent if the results of the platform are not read. */
  results?: ResultsModule;
}

/** How a platform's numbers about published posts are read. */
export interface ResultsModule {
  /** Incremented when a number gets another meaning. */
  definition: number;
  /** The platform's name of each metric. */
  sources: Readonly<Record<string, string>>;
  /** How many posts one request may name. */
  batchSize: number;
  /** How old a post is when it is read, in hours; by default, `resultAges`. */
  ages?: readonly number[];
  /** Returns what the platform says about these posts, or why it says nothing, by id. Deleted posts are left out. */
  read(context: ResultsContext, postIds: readonly string[]): Promise<ReadonlyMap<string, JsonObject | MissingReason>>;
}

/** How `prepare` ends if no call fails (`PrepareOutcome`). */
export type Preparation = "prepared" | "already_committed" | "expired";

/**
 * What a run remembers between its steps, stored as JSON. A module that adds fields declares its own type: only its own
 * steps write them. An earlier version may have stored the progress, so added fields are optional.
 */
export interface ModuleProgress {
  /** Ids of uploaded files, by asset id. */
  mediaIds: Record<string, string>;
  /** Ids of files that the platform was still processing when the upload ended. */
  pendingIds?: string[] | undefined;
}

/** What a request of the worker becomes for the platform's module. */
type Context<Request, Progress> = Omit<Request, keyof AccessToken | "connection" | "progress"> & {
  account: Pick<Account, "id" | "handle">;
  /** The base URL of the API, without a trailing slash. */
  api: string;
  progress: Progress;
  /** Those of the content, with the defaults of the platform. */
  options: PostOptions;
  /** Signs a public URL from which the platform can fetch this file, and no other, for an hour. */
  createMediaUrl(asset: ContentAsset): string;
  /** Sends a call and parses the JSON of a successful response. */
  call<T>(call: PublishCall, parse: (body: JsonObject, response: Response) => T): Promise<T>;
  /** Like `call`, but the response need not have JSON. */
  send<T>(call: PublishCall, parse: (response: Response) => T): Promise<T>;
};

/** What all steps have in common. */
export type CallContext<Progress = ModuleProgress> = Context<PrepareRequest, Progress>;

export type ResultsContext = Pick<CallContext, "account" | "api" | "call">;

export type PrepareContext<Progress = ModuleProgress> = CallContext<Progress> & {
  signal: AbortSignal;
  sleep(ms: number): Promise<void>;
  /** Adds to the progress what later runs need to know, and stores it. */
  save(change: Partial<Progress>): Promise<void>;
};

export type CommitContext<Progress = ModuleProgress> = Context<CommitRequest, Progress>;

export type LookUpContext<Progress = ModuleProgress> = Context<LookUpRequest, Progress>;

/** A call to the platform. `isAuthorized`: whether it has the account's access token; by default, if it has a `path`. */
export type PublishCall = Omit<ApiCall, "url" | "bearer"> & {
  isAuthorized?: boolean;
  /** Sent as the body, or in a form. */
  file?: SentFile;
  /** Statuses besides 2xx that are no failures: `parse` gets the response. */
  expectedStatuses?: readonly number[];
} & ({ path: string; url?: never } | { path?: never; url: string });

/** A response that is not a success. */
export interface ErrorResponse {
  status: number;
  headers: Headers;
  /** Empty if the response is not a JSON object. */
  body: JsonObject;
}
