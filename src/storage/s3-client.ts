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
export interface Asker {
  <Output>(
    call: (options: { abortSignal: AbortSignal }) => Promise<Output>,
    options?: {
      patienceMs?: number;
      /** The store itself works through so many bytes before it answers, and gets time in proportion. */
      workBytes?: number;
      signal?: AbortSignal | undefined;
    },
  ): Promise<Output>;
}

/** A caller is to hear within 15 s that the store is silent; some of them are needed to say so. */
export const defaultPatienceMs = 13_000;
/** A store that copies slower than this is taken for silent. */
const bytesPerMs = 20_000;

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

export function createAsker(usualPatienceMs: number): Asker {
  return async (call, { patienceMs = usualPatienceMs, workBytes = 0, signal } = {}) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), patienceMs + Math.ceil(workBytes / bytesPerMs));
    try {
      return await call({ abortSignal: signal ? AbortSignal.any([signal, late.signal]) : late.signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw s3Fault(error);
    } finally {
      clearTimeout(timer); // an answer that began in time may take longer to read
    }
  };
}

interface S3Failure {
  name?: string;
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

/** What failed, without keys, addresses or signatures: those stay out of logs as well. */
class S3Error extends Error {
  override readonly name = "S3Error";
  readonly status: number | undefined;
  readonly code: string;

  constructor({ name, code, $metadata }: S3Failure) {
    const word = name === undefined || name === "Error" ? (code ?? "failure") : name;
    super(`the store answered ${$metadata?.httpStatusCode ?? "nothing"} (${word})`);
    this.status = $metadata?.httpStatusCode;
    this.code = word;
  }
}

function s3Fault(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const cause = new S3Error(error as S3Failure);
  const denied = cause.status === 401 || cause.status === 403;
  return new AppError(denied ? "storage_unavailable:store_denied" : "storage_unavailable:store", undefined, {
    retryAfter: denied ? 60 : 5,
    cause,
  });
}

/** The status and the word with which the store said no; undefined for anything else. */
export function refusalOf(error: unknown): { status: number; code: string } | undefined {
  const cause = error instanceof AppError ? error.cause : undefined;
  return cause instanceof S3Error && cause.status !== undefined
    ? { status: cause.status, code: cause.code }
    : undefined;
}

/** What a call answers, or undefined where the store says that there is no such thing. */
export async function ifThere<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (refusalOf(error)?.status === 404) return undefined;
    throw error;
  }
}

/** A body on its way to us: given up when nothing comes for so long, failing in our words, and gone with its reader. */
export function watchBody(body: Readable, patienceMs: number, signal: AbortSignal | undefined): Readable {
  const out = new PassThrough({ highWaterMark: 256 * 1024 });
  const timer = setTimeout(() => {
    // Whoever reads may take its time; then it is not the store that is silent.
    if (out.writableNeedDrain) timer.refresh();
    else body.destroy(new Error("no bytes came"));
  }, patienceMs);
  body.on("data", () => timer.refresh());
  body.on("error", (error) => out.destroy(s3Fault(error)));
  out.on("close", () => {
    clearTimeout(timer);
    body.destroy();
  });
  if (signal) addAbortSignal(signal, out);
  return body.pipe(out);
}
