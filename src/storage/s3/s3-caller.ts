import { S3Client } from "@aws-sdk/client-s3";
import { addAbortSignal, PassThrough, type Readable } from "node:stream";
import { AppError } from "#lib/errors.ts";

export interface S3Settings {
  /** Absent: AWS itself. */
  endpoint: string | undefined;
  /** Where browsers and `curl` reach the same store, if by another name than we do. */
  publicEndpoint?: string | undefined;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  forcePathStyle: boolean;
}

/** One call to the store, answered, or failed with an AppError, within its time: retries included. */
export interface S3Caller {
  <Output>(
    operation: (options: { abortSignal: AbortSignal }) => Promise<Output>,
    options?: {
      patienceMs?: number;
      /** The store itself works through so many bytes before it answers, and gets time in proportion. */
      workBytes?: number;
      signal?: AbortSignal | undefined;
    },
  ): Promise<Output>;
}

/** A caller is to hear within 15 s that the store is silent; some of them are needed to say so. */
export const defaultTimeoutMs = 13_000;
/** A store that copies slower than this is taken for silent. */
const minCopyBytesPerMs = 20_000;

export function createClient(settings: S3Settings, endpoint = settings.endpoint): S3Client {
  const agent = { keepAlive: true, maxSockets: 256 };
  return new S3Client({
    region: settings.region,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    forcePathStyle: settings.forcePathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    // Otherwise a presigned address carries the checksum of an empty body, and stores that know none refuse ours.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    retryMode: "standard",
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 4000, httpAgent: agent, httpsAgent: agent },
    // Said here, so that no variable or file of the machine says otherwise: settings come from one place.
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    defaultsMode: "standard",
  });
}

export function createS3Caller(baseTimeoutMs: number): S3Caller {
  return async (operation, { patienceMs: timeoutMs = baseTimeoutMs, workBytes = 0, signal } = {}) => {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs + Math.ceil(workBytes / minCopyBytesPerMs));
    try {
      return await operation({ abortSignal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw toStorageError(error);
    } finally {
      clearTimeout(timer); // an answer that began in time may take longer to read
    }
  };
}

interface SdkFailure {
  name?: string;
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

/** What failed, without keys, addresses or signatures: those stay out of logs as well. */
class S3Error extends Error {
  override readonly name = "S3Error";
  readonly status: number | undefined;
  readonly code: string;

  constructor({ name, code, $metadata }: SdkFailure) {
    const label = name === undefined || name === "Error" ? (code ?? "failure") : name;
    super(`the store answered ${$metadata?.httpStatusCode ?? "nothing"} (${label})`);
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

/** The status and the word with which the store said no; undefined for anything else. */
export function getErrorResponse(error: unknown): { status: number; code: string } | undefined {
  const cause = error instanceof AppError ? error.cause : undefined;
  return cause instanceof S3Error && cause.status !== undefined
    ? { status: cause.status, code: cause.code }
    : undefined;
}

/** What a call answers, or undefined where the store says that there is no such thing. */
export async function undefinedIfMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (getErrorResponse(error)?.status === 404) return undefined;
    throw error;
  }
}

/** A body on its way to us: given up when nothing comes for so long, failing in our words, and gone with its reader. */
export function withIdleTimeout(body: Readable, timeoutMs: number, signal: AbortSignal | undefined): Readable {
  const output = new PassThrough({ highWaterMark: 256 * 1024 });
  const timer = setTimeout(() => {
    // Whoever reads may take its time; then it is not the store that is silent.
    if (output.writableNeedDrain) timer.refresh();
    else body.destroy(new Error("no bytes came"));
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
