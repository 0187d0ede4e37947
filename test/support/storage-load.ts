import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { appsMeta, callModern } from "./mcp.ts";
import { sha256 } from "./stores.ts";
import type { StudioClient } from "./studio-client.ts";
import { waitUntil } from "./wait-until.ts";

const methods = ["inline", "presigned", "multipart", "in-chat"] as const;
type Method = (typeof methods)[number];

/** Uploads by every method and downloads that run until `stop` is called, and every file that the service acknowledged. */
export interface StorageLoad {
  readonly fileCount: number;
  readonly downloadCount: number;
  /** Responses of the service that tell the client to retry. */
  readonly unavailableErrors: readonly { reason: string; ms: number }[];
  /** Requests to the store itself that failed and were repeated. */
  readonly storeErrors: readonly string[];
  readonly unexpectedErrors: readonly string[];
  /** Resolves once an upload by each method has started and succeeded since this call; returns the elapsed time. */
  waitForEachMethod(): Promise<number>;
  /** Starts no more uploads; resolves when those that have started are finished. */
  stop(): Promise<void>;
  /** Downloads each file acknowledged since the last check, or in the whole run with `all`, and compares its digest. */
  checkFiles(options?: { all: boolean }): Promise<void>;
}

/** The service responded that the store is unavailable, as it should. */
class UnavailableError extends Error {}
/** The store rejected a request or closed the connection. */
class StoreError extends Error {}

const mebibyte = 1024 * 1024;
/** Large files have a full part (8 MiB from the upload page, 5 MiB from the in-chat app) and a short part. */
const contentBytes: Record<Method, number> = {
  inline: 40_000,
  presigned: 40_000,
  multipart: 8 * mebibyte + 100_000,
  "in-chat": 5 * mebibyte + 100_000,
};
const pauseMs = 200;
const largePauseMs = 1000;
const parallelChecks = 8;
/** A request to the store that takes longer counts as failed. */
const storeTimeoutMs = 30_000;
const declaredType = { kind: "document", mimeType: "text/plain" };

export function startStorageLoad(studio: StudioClient, base: string): StorageLoad {
  const files: { assetId: string; digest: string }[] = [];
  const completions: { method: Method; startedAt: number }[] = [];
  const unavailableErrors: { reason: string; ms: number }[] = [];
  const storeErrors: string[] = [];
  const unexpectedErrors: string[] = [];
  let downloadCount = 0;
  let checkedCount = 0;
  const stop = new AbortController();

  /** Repeats a request to the service until it succeeds. Each attempt that fails must tell the client to retry. */
  async function retry<T>(send: () => Promise<T>): Promise<T> {
    for (;;) {
      const startedAt = performance.now();
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error;
        unavailableErrors.push({ reason: error.message, ms: performance.now() - startedAt });
        await sleep(200);
      }
    }
  }

  const call = (tool: string, input: Record<string, unknown>): Promise<any> =>
    retry(async () => {
      const caller = { url: `${base}/mcp`, token: studio.tokens.access_token };
      const params = { name: tool, arguments: input, _meta: appsMeta };
      const { status, headers, text, json } = await callModern(caller, "tools/call", params);
      if (status === 200 && !json.result.isError) return json.result.structuredContent;
      const reason = `${tool}: ${status} ${text.slice(0, 300)}`;
      const isUnavailable =
        status === 200
          ? json.result.structuredContent.code === "storage_unavailable"
          : status === 503 && headers.has("retry-after");
      throw isUnavailable ? new UnavailableError(reason) : new Error(reason);
    });

  const callLink = (token: string, path: string, body: unknown): Promise<any> =>
    retry(async () => {
      const response = await fetch(`${base}/api/uploads${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "upload-token": token },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text);
      const reason = `${path}: ${response.status} ${text.slice(0, 300)}`;
      const isUnavailable = response.status === 503 && response.headers.has("retry-after");
      throw isUnavailable ? new UnavailableError(reason) : new Error(reason);
    });

  /** Repeats a request to the store until it succeeds, as browsers and AI clients do. */
  async function requestStore(url: string, init: RequestInit = {}): Promise<Buffer> {
    for (;;) {
      try {
        return await sendToStore(url, init);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        storeErrors.push(error.message);
        await sleep(200);
      }
    }
  }

  const newPost = async (): Promise<string> => (await call("create_post", { title: "A", body: "" })).id;

  const uploads: Record<Method, (content: Buffer) => Promise<string>> = {
    async inline(content) {
      return (await call("upload_asset_inline", { ...declaredType, base64: content.toString("base64") })).assetId;
    },
    async presigned(content) {
      const { assetId, uploadUrl } = await call("request_asset_upload", declaredType);
      await requestStore(uploadUrl, { method: "PUT", body: new Uint8Array(content) });
      await call("attach_asset", { postId: await newPost(), assetId });
      return assetId;
    },
    async multipart(content) {
      const { url } = await call("create_upload_session", { postId: await newPost() });
      const token = url.split("/u/")[1];
      const info = { name: "a.txt", size: content.length, lastModified: 1, type: "text/plain" };
      const { file, partBytes } = await callLink(token, "/files", info);
      const parts = splitIntoParts(content, partBytes);
      const { addresses } = await callLink(token, `/files/${file.id}/addresses`, { parts: [...parts.keys()] });
      for (const { part, url: partUrl } of addresses)
        await requestStore(partUrl, { method: "PUT", body: new Uint8Array(parts.get(part) ?? []) });
      await callLink(token, `/files/${file.id}/complete`, {});
      return file.id;
    },
    async "in-chat"(content) {
      const { uploadId } = await call("app_create_upload", { postId: await newPost() });
      const info = { name: "a.txt", size: content.length, lastModified: 1, type: "text/plain" };
      const { file, partBytes } = await call("app_start_file", { uploadId, ...info });
      for (const [part, bytes] of splitIntoParts(content, partBytes))
        await call("app_send_part", { uploadId, fileId: file.id, part, base64: bytes.toString("base64") });
      await call("app_complete_file", { uploadId, fileId: file.id });
      return file.id;
    },
  };

  async function upload(method: Method): Promise<void> {
    const startedAt = performance.now();
    const content = newContent(method);
    files.push({ assetId: await uploads[method](content), digest: sha256(content) });
    completions.push({ method, startedAt });
  }

  async function download(file: { assetId: string; digest: string }): Promise<void> {
    const asset = await call("get_asset", { assetId: file.assetId, includeUrls: true });
    assert.equal(asset.status, "ready");
    assert.equal(sha256(await requestStore(asset.url)), file.digest, `the stored bytes of ${file.assetId}`);
  }

  async function downloadAny(): Promise<void> {
    const file = files[Math.floor(Math.random() * files.length)];
    if (!file) return;
    await download(file);
    downloadCount++;
  }

  async function repeat(work: () => Promise<void>, delayMs: number): Promise<void> {
    while (!stop.signal.aborted) {
      await work().catch((error: unknown) => void unexpectedErrors.push(String(error)));
      await sleep(delayMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  }

  const workers = [
    ...methods.map((method) => repeat(() => upload(method), isLarge(method) ? largePauseMs : pauseMs)),
    repeat(downloadAny, pauseMs),
  ];

  return {
    get fileCount() {
      return files.length;
    },
    get downloadCount() {
      return downloadCount;
    },
    unavailableErrors,
    storeErrors,
    unexpectedErrors,
    async waitForEachMethod() {
      const since = performance.now();
      const listMissing = (): Method[] =>
        methods.filter((method) => !completions.some((entry) => entry.method === method && entry.startedAt > since));
      await waitUntil(() => listMissing().length === 0 || unexpectedErrors.length > 0, {
        timeoutMs: 90_000,
        description: "an upload by each method is acknowledged",
      });
      assert.deepEqual(unexpectedErrors, []);
      return performance.now() - since;
    },
    async stop() {
      stop.abort();
      await Promise.all(workers);
    },
    async checkFiles({ all } = { all: false }) {
      const unchecked = files.slice(all ? 0 : checkedCount);
      checkedCount = files.length;
      const check = async (): Promise<void> => {
        for (let file = unchecked.pop(); file; file = unchecked.pop()) await download(file);
      };
      await Promise.all(Array.from({ length: parallelChecks }, check));
    },
  };
}

const isLarge = (method: Method): boolean => contentBytes[method] > mebibyte;

/** Text with random lines, so that no two files and no two parts are equal. */
function newContent(method: Method): Buffer {
  const content = Buffer.alloc(contentBytes[method], "text\n");
  for (let offset = 0; offset < content.length; offset += mebibyte)
    content.write(randomBytes(32).toString("hex"), offset);
  return content;
}

function splitIntoParts(content: Buffer, partBytes: number): Map<number, Buffer> {
  const count = Math.ceil(content.length / partBytes);
  return new Map(
    Array.from({ length: count }, (_, i) => [i + 1, content.subarray(i * partBytes, (i + 1) * partBytes)]),
  );
}

/** Resolves to the body of a successful response. A response below 500 that is not successful is an unexpected error. */
async function sendToStore(url: string, init: RequestInit): Promise<Buffer> {
  const label = init.method ?? "GET";
  let response: Response;
  let body: Buffer;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(storeTimeoutMs) });
    body = Buffer.from(await response.arrayBuffer());
  } catch (error) {
    throw new StoreError(`${label}: ${String((error as Error).cause ?? error)}`);
  }
  if (response.ok) return body;
  const reason = `${label}: ${response.status}`;
  throw response.status >= 500
    ? new StoreError(reason)
    : new Error(`the store responded to ${reason} ${body.toString().slice(0, 300)}`);
}
