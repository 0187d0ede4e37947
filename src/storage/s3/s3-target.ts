import {
  HeadObjectCommand,
  S3Client,
  type $Command,
  type HeadObjectCommandOutput,
  type S3ClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from "@aws-sdk/client-s3";
import { addAbortSignal, PassThrough, type Readable } from "node:stream";
import { AppError } from "#lib/errors.ts";
import { validateKey } from "../validate-key.ts";

export interface S3Settings {
  /** Undefined for AWS. */
  endpoint: string | undefined;
  /** The endpoint that browsers and `curl` use, if it differs from `endpoint`. */
  publicEndpoint?: string | undefined;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  forcePathStyle: boolean;
}

export interface CallOptions {
  timeoutMs?: number;
  /** The bytes that the store processes before it responds. Extends the timeout in proportion. */
  workBytes?: number;
  /** If it aborts, the call rejects with its reason, not with an AppError. */
  signal?: AbortSignal | undefined;
}

/** A bucket, and the calls to it. */
export interface S3Target {
  bucket: string;
  /** Resolves, or rejects with an AppError, within its timeout, including retries. */
  send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    command: $Command<Input, Output, S3ClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
    options?: CallOptions,
  ): Promise<Output>;
  /** Resolves to undefined if the object does not exist. */
  head(key: string): Promise<HeadObjectCommandOutput | undefined>;
}

/** Clients get an error within 15 s if the store does not respond; this leaves time to send the error. */
export const defaultTimeoutMs = 12_000;
/** If the store processes `workBytes` more slowly than this, the call times out. */
const minWorkBytesPerMs = 20_000;
const timeoutCode = "timeout";

export function createS3Client(settings: S3Settings, endpoint = settings.endpoint): S3Client {
  const agent = { keepAlive: true, maxSockets: 256 };
  return new S3Client({
    region: settings.region,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    forcePathStyle: settings.forcePathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    // Otherwise presigned URLs contain the checksum of an empty body, and stores without checksum support reject them.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    retryMode: "standard",
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 4000, httpAgent: agent, httpsAgent: agent },
    // Set explicitly, so that AWS environment variables and config files on the machine have no effect.
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    defaultsMode: "standard",
  });
}

export function createS3Target(client: S3Client, bucket: string, baseTimeoutMs: number): S3Target {
  const send: S3Target["send"] = async (command, { timeoutMs = baseTimeoutMs, workBytes = 0, signal } = {}) => {
    const timeout = new AbortController();
    // Reading the response body has its own timeout, `withIdleTimeout`.
    using _ = setTimeout(() => timeout.abort(), timeoutMs + Math.ceil(workBytes / minWorkBytesPerMs));
    try {
      return await client.send(command, {
        abortSignal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw toStorageError(timeout.signal.aborted ? { code: timeoutCode } : error);
    }
  };
  return {
    bucket,
    send,
    head: (key) => undefinedIfMissing(send(new HeadObjectCommand({ Bucket: bucket, Key: validateKey(key) }))),
  };
}

interface SdkFailure {
  name?: string;
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

/** The status and code of a failed call, without keys, URLs or signatures, which must not reach the logs. */
class S3Error extends Error {
  override readonly name = "S3Error";
  readonly status: number | undefined;
  readonly code: string;

  constructor({ name, code, $metadata }: SdkFailure) {
    const label = name === undefined || name === "Error" ? (code ?? "failure") : name;
    super(`the store returned ${$metadata?.httpStatusCode ?? "no response"} (${label})`);
    this.status = $metadata?.httpStatusCode;
    this.code = label;
  }
}

function toStorageError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const cause = new S3Error(error as SdkFailure);
  const isDenied = cause.status === 401 || cause.status === 403;
  return new AppError(isDenied ? "storage_unavailable:store_denied" : "storage_unavailable:store", undefined, {
    retryAfter: isDenied ? 60 : 5,
    cause,
  });
}

/** The status of the store's error response; undefined for any other error. */
export function getStatus(error: unknown): number | undefined {
  const cause = error instanceof AppError ? error.cause : undefined;
  return cause instanceof S3Error ? cause.status : undefined;
}

/** Whether the store did not respond in time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof AppError && error.cause instanceof S3Error && error.cause.code === timeoutCode;

/** Resolves to undefined if the store responds with 404. */
export async function undefinedIfMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (getStatus(error) === 404) return undefined;
    throw error;
  }
}

/** Destroys a response body when no bytes arrive for `timeoutMs` or its reader closes. Errors become AppErrors. */
export function withIdleTimeout(body: Readable, timeoutMs: number, signal: AbortSignal | undefined): Readable {
  const output = new PassThrough({ highWaterMark: 256 * 1024 });
  const timer = setTimeout(() => {
    // With backpressure the reader is slow, not the store.
    if (output.writableNeedDrain) timer.refresh();
    else body.destroy(new Error("no bytes received before the timeout"));
  }, timeoutMs);
  body.on("data", () => timer.refresh());
  body.on("error", (error) => output.destroy(toStorageError(error)));
  output.on("close", () => {
    clearTimeout(timer);
    body.destroy();
  });
  if (signal) addAbortSignal(signal, output);
  return body.pipe(output);
}
