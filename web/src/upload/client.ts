import type { hc, InferRequestType, InferResponseType } from "hono/client";
import type { Problem } from "#http/problem.ts";
import type { UploadApi } from "#http/uploads/api.ts";

/** The API of the upload page. The upload link's token is sent in a header, so that URLs never contain it. */

type Api = ReturnType<typeof hc<UploadApi>>["api"]["uploads"];

export type UploadLinkDetails = InferResponseType<Api["session"]["$get"]>;
export type RemoteFile = UploadLinkDetails["files"][number];
export type StartedUpload = InferResponseType<Api["files"]["$post"]>;
type NewFile = InferRequestType<Api["files"]["$post"]>["json"];
type PartUrlsResponse = InferResponseType<Api["files"][":fileId"]["addresses"]["$post"]>;

/** A failed request. Status 0 means that no response arrived. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  /** The server's `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, problem: Partial<Problem> & { retryAfterSeconds?: number | undefined } = {}) {
    super(
      problem.detail ?? (status === 0 ? "The server can’t be reached." : `The server responded with status ${status}.`),
    );
    this.status = status;
    this.code = problem.code ?? "";
    this.hint = problem.hint ?? "";
    this.retryAfterSeconds = problem.retryAfterSeconds;
  }

  /** Whether a retry can succeed. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

export interface UploadClient {
  getLinkDetails(signal?: AbortSignal): Promise<UploadLinkDetails>;
  startFile(file: NewFile): Promise<StartedUpload>;
  createPartUrls(fileId: string, parts: number[], signal: AbortSignal): Promise<PartUrlsResponse["addresses"]>;
  completeFile(fileId: string, signal: AbortSignal): Promise<RemoteFile>;
  setAltText(fileId: string, altText: string): Promise<RemoteFile>;
  cancelFile(fileId: string): Promise<void>;
  /** Sends one part; by default, with a PUT to its URL. */
  sendPart?(
    target: PartTarget,
    body: Blob,
    signal: AbortSignal,
    onProgress: (sentBytes: number) => void,
  ): Promise<void>;
}

export interface PartTarget {
  fileId: string;
  part: number;
  url: string;
}

export function createUploadClient(token: string): UploadClient {
  async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const response = await fetch(`/api/uploads${path}`, {
      method,
      headers: { "upload-token": token, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw new RequestError(0, { hint: String(error) });
    });
    const responseBody: unknown = response.status === 204 ? undefined : await response.json().catch(() => undefined);
    signal?.throwIfAborted();
    if (response.ok) return responseBody as T;
    throw new RequestError(response.status, {
      ...(responseBody as object | undefined),
      retryAfterSeconds: Number(response.headers.get("retry-after")) || undefined,
    });
  }

  return {
    getLinkDetails: (signal) => call("GET", "/session", undefined, signal),
    startFile: (file) => call("POST", "/files", file),
    createPartUrls: async (fileId, parts, signal) =>
      (await call<PartUrlsResponse>("POST", `/files/${fileId}/addresses`, { parts }, signal)).addresses,
    completeFile: (fileId, signal) => call("POST", `/files/${fileId}/complete`, {}, signal),
    setAltText: (fileId, altText) => call("PATCH", `/files/${fileId}`, { altText }),
    cancelFile: (fileId) => call("DELETE", `/files/${fileId}`),
  };
}
