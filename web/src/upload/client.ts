import type { hc, InferRequestType, InferResponseType } from "hono/client";
import type { UploadApi } from "#http/uploads/api.ts";

/** The API behind the upload page. The link's token travels in a header, never in an address. */

type Api = ReturnType<typeof hc<UploadApi>>["api"]["uploads"];

export type Session = InferResponseType<Api["session"]["$get"]>;
export type RemoteFile = Session["files"][number];
export type Started = InferResponseType<Api["files"]["$post"]>;
type NewFile = InferRequestType<Api["files"]["$post"]>["json"];
type Addresses = InferResponseType<Api["files"][":fileId"]["addresses"]["$post"]>;

/** A request that failed. Status 0: it did not get through, which says nothing about the request. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  /** Seconds after which the server wants to be asked again. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    said: { code?: string; detail?: string; hint?: string; retryAfter?: number | undefined } = {},
  ) {
    super(
      said.detail ?? (status === 0 ? "The server cannot be reached." : `The server answered with status ${status}.`),
    );
    this.status = status;
    this.code = said.code ?? "";
    this.hint = said.hint ?? "";
    this.retryAfter = said.retryAfter;
  }

  /** Trying the same again later makes sense. */
  get passing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

export interface Client {
  session(signal?: AbortSignal): Promise<Session>;
  start(file: NewFile, signal: AbortSignal): Promise<Started>;
  addresses(fileId: string, parts: number[], signal: AbortSignal): Promise<Addresses["addresses"]>;
  complete(fileId: string, signal: AbortSignal): Promise<RemoteFile>;
  setAltText(fileId: string, altText: string): Promise<RemoteFile>;
  cancel(fileId: string): Promise<void>;
}

export function createClient(token: string): Client {
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
    const answer: unknown = response.status === 204 ? undefined : await response.json().catch(() => undefined);
    signal?.throwIfAborted();
    if (response.ok) return answer as T;
    throw new RequestError(response.status, {
      ...(answer as object | undefined),
      retryAfter: Number(response.headers.get("retry-after")) || undefined,
    });
  }

  return {
    session: (signal) => call("GET", "/session", undefined, signal),
    start: (file, signal) => call("POST", "/files", file, signal),
    addresses: async (fileId, parts, signal) =>
      (await call<Addresses>("POST", `/files/${fileId}/addresses`, { parts }, signal)).addresses,
    complete: (fileId, signal) => call("POST", `/files/${fileId}/complete`, {}, signal),
    setAltText: (fileId, altText) => call("PATCH", `/files/${fileId}`, { altText }),
    cancel: (fileId) => call("DELETE", `/files/${fileId}`),
  };
}
