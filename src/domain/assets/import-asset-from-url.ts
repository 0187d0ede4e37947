import { z } from "zod";
import { minutes } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { PublicFetchError, type PublicResponse } from "#lib/public-fetch.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { findPreviousResult, idempotencyKey, runOnce, type IdempotentCall } from "../run-once.ts";
import { authorize } from "../policy.ts";
import { text } from "../text.ts";
import { kindNames, type Asset } from "./model/asset.ts";
import { createStoredFileSource } from "./content/byte-source.ts";
import { filenameInput } from "./model/filename.ts";
import { checkContent } from "./content/check-content.ts";
import { resolveImportType } from "./content/detect-type.ts";
import { createFileKey } from "./model/storage-keys.ts";
import { readMediaMetadata } from "./model/media-metadata.ts";
import { buildNewAsset } from "./lifecycle/new-asset.ts";
import {
  checkQuota,
  discardReservedKey,
  insertReadyAsset,
  toStoredColumns,
  withReservedKey,
} from "./lifecycle/store-bytes.ts";
import type { storedAssetOutput } from "./upload-asset-inline.ts";

export const importAssetFromUrlInput = z.strictObject({
  url: text(4000).describe("A public https URL."),
  kind: z.enum(kindNames).optional().describe("Detected from the file if omitted."),
  filename: filenameInput,
  idempotencyKey,
});

type Output = z.infer<typeof storedAssetOutput>;

/** Limits the whole transfer, however slowly the remote server sends. */
const importTimeoutMs = minutes(10);

export interface ImportContext {
  /** Aborts the import when the client disconnects. */
  signal?: AbortSignal;
}

type ImportDeps = Pick<
  Deps,
  | "assets"
  | "strayFiles"
  | "idempotency"
  | "transact"
  | "files"
  | "media"
  | "openUrl"
  | "importSlots"
  | "newId"
  | "newSecret"
  | "clock"
  | "limits"
>;

/** Fetches a file from a public URL and stores it as a ready asset that is not on a post. */
export async function importAssetFromUrl(
  deps: ImportDeps,
  caller: Caller,
  input: z.infer<typeof importAssetFromUrlInput>,
  context: ImportContext = {},
): Promise<Output> {
  authorize(caller, "assets.write");
  const { idempotencyKey: key, ...fields } = input;
  const call = { verb: "import_asset_from_url", key, input: fields };
  const previousResult = await findPreviousResult<Output>(deps, caller, call);
  if (previousResult) return previousResult;
  // The size is not known yet, so check that there is room for at least one byte.
  await checkQuota(deps, caller.studio.id, 1);
  const timeout = AbortSignal.timeout(importTimeoutMs);
  const signal = context.signal ? AbortSignal.any([context.signal, timeout]) : timeout;
  // Acquired before DNS resolution: a host that never responds also occupies a lookup and a socket.
  const releaseSlot = deps.importSlots.acquire(caller);
  try {
    const response = await fetchFile(deps, input.url, signal);
    try {
      return await storeImport(deps, caller, input, call, response, signal);
    } finally {
      response.body.destroy();
    }
  } finally {
    releaseSlot();
  }
}

async function storeImport(
  deps: ImportDeps,
  caller: Caller,
  input: z.infer<typeof importAssetFromUrlInput>,
  call: IdempotentCall,
  response: PublicResponse,
  signal: AbortSignal,
): Promise<Output> {
  const peek = await peekStream(translateStreamErrors(response.body), 8192);
  const { expectedType, filename } = await resolveImportType(peek.head, response, input);
  const maxBytes = deps.limits[expectedType.kind];
  if (Number(response.headers["content-length"] ?? 0) > maxBytes) throw tooLargeError(maxBytes);

  const newAsset = buildNewAsset(deps, caller, { ...expectedType, filename });
  const storageKey = createFileKey(deps, newAsset.id);
  return withReservedKey(deps, storageKey, async () => {
    const storedFile = await deps.files.write(storageKey, peek.readAll(), {
      mimeType: expectedType.mimeType,
      maxBytes,
      signal,
    });
    const source = createStoredFileSource(deps.files, storageKey, storedFile.bytes, signal);
    const metadata = await readMediaMetadata(deps, source, expectedType, await checkContent(source, expectedType));
    const asset: Asset = { ...newAsset, ...toStoredColumns(storageKey, storedFile, metadata), status: "ready" };
    const result = await deps.transact((tx) =>
      runOnce(deps, tx, caller, call, async () => {
        await insertReadyAsset(deps, tx, asset);
        await recordActivity(deps, tx, caller, "asset.imported", asset.id, {
          filename,
          bytes: storedFile.bytes,
          host: response.url.host,
        });
        return { assetId: asset.id, bytes: storedFile.bytes };
      }),
    );
    // A parallel call with the same idempotency key finished first: return its asset and discard these bytes.
    if (result.assetId !== asset.id) await discardReservedKey(deps, storageKey);
    return result;
  });
}

async function fetchFile(deps: Pick<Deps, "openUrl">, url: string, signal: AbortSignal): Promise<PublicResponse> {
  const response = await deps.openUrl(url, signal).catch(throwAsAppError);
  if (response.status >= 200 && response.status < 300) return response;
  response.body.destroy();
  throw unreachableError(`the server returned status ${response.status}`);
}

/** Reports an interrupted download as `url_unreachable`, so that it isn't mistaken for a failure of the store. */
async function* translateStreamErrors(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw unreachableError("the connection closed before the file was complete");
  }
}

function throwAsAppError(error: unknown): never {
  if (!(error instanceof PublicFetchError)) throw error;
  if (!error.isBlocked) throw unreachableError(error.message);
  throw new AppError("url_blocked:import", { cause: error.message });
}

const unreachableError = (cause: string): AppError => new AppError("url_unreachable:import", { cause });

const tooLargeError = (maxBytes: number): AppError => new AppError("too_large:import", { limitBytes: maxBytes });

/** A stream whose first bytes were read ahead; `readAll` still starts with them. */
export interface PeekedStream {
  head: Uint8Array;
  readAll(): AsyncIterable<Uint8Array>;
}

async function peekStream(body: AsyncIterable<Uint8Array>, bytes: number): Promise<PeekedStream> {
  const chunks: Uint8Array[] = [];
  const iterator = body[Symbol.asyncIterator]();
  let size = 0;
  while (size < bytes) {
    const next = await iterator.next();
    if (next.done) break;
    chunks.push(next.value);
    size += next.value.length;
  }
  async function* readAll(): AsyncGenerator<Uint8Array> {
    yield* chunks.splice(0);
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { head: Buffer.concat(chunks).subarray(0, bytes), readAll };
}
