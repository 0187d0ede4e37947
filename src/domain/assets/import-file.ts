import type { AttachDeps } from "./confirm-presigned-upload.ts";
import { z } from "zod";
import { minutes } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { PublicFetchError, type PublicResponse } from "#lib/public-fetch.ts";
import type { Caller } from "../caller.ts";
import { attachToPost } from "../changes/change-asset.ts";
import { insertAsset } from "../changes/insert-asset.ts";
import { checkQuota, postFullError } from "../changes/quota.ts";
import type { AssetKind } from "../model/asset-kinds.ts";
import { type Asset, kindNames } from "../model/asset.ts";
import { parsePostId } from "../model/post.ts";
import { createFileKey } from "../model/storage-keys.ts";
import { id, text } from "../model/text.ts";
import { authorize } from "../policy.ts";
import { createStoredFileSource } from "../ports/byte-source.ts";
import type { Deps } from "../ports/deps.ts";
import { checkContent, readMediaMetadata } from "../steps/content/check-content.ts";
import { getFilenameFromUrl, resolveImportType } from "../steps/content/detect-type.ts";
import { cleanFilename, filenameInput, truncateFilename } from "../steps/content/filename.ts";
import { sniffBytes } from "../steps/content/formats.ts";
import { buildNewAsset } from "../steps/new-asset.ts";
import { findPreviousResult, idempotencyKey, type IdempotentCall, runOnce } from "../steps/run-once.ts";
import { discardReservedKey, toStoredFields, withReservedKey } from "./store-bytes.ts";
import type { storedAssetOutput } from "./upload-asset-inline.ts";

export interface FileToImport {
  url: string;
  /** Whether anyone with the URL can read the file. If so, neither its host nor its path is stored. */
  isUrlSecret?: true;
  kind?: AssetKind | undefined;
  /** The declared type, which the bytes must match. Without one, the server's Content-Type is used. */
  mimeType?: string | undefined;
  filename?: string | undefined;
  /** The post that the asset is attached to. */
  postId?: string | undefined;
}

export interface ImportContext {
  /** Returns the signal that aborts the import when the client disconnects. */
  getSignal?(): AbortSignal;
}

export type ImportDeps = Omit<AttachDeps, "uploadClaims"> & Pick<Deps, "idempotency" | "openUrl" | "importSlots">;

type Output = z.infer<typeof storedAssetOutput>;

/** Limits the whole transfer, however slowly the remote server sends. */
const importTimeoutMs = minutes(10);

/** Fetches a file from a public URL, checks its content and stores it as a ready asset, on the post if there is one. */
async function importFile(
  deps: ImportDeps,
  caller: Caller,
  file: FileToImport,
  call: IdempotentCall,
  context: ImportContext,
): Promise<Output> {
  const { postId } = file;
  const previousResult = await findPreviousResult<Output>(deps, caller, call);
  if (previousResult) return previousResult;
  // Fail early, before the file is fetched. `attachToPost` and `chargeStudio` are the authorities.
  if (postId !== undefined) await assertPostNotFull(deps, caller, postId);
  await checkQuota(deps, caller.studio.id, 1); // the size is not known yet
  const timeout = AbortSignal.timeout(importTimeoutMs);
  const signal = context.getSignal ? AbortSignal.any([context.getSignal(), timeout]) : timeout;
  // Acquired before DNS resolution, because a host that never responds also occupies a lookup and a socket.
  const releaseSlot = deps.importSlots.acquire(caller);
  try {
    const response = await fetchFile(deps, file.url, signal);
    try {
      return await storeImport(deps, caller, file, call, response, signal);
    } finally {
      response.body.destroy();
    }
  } finally {
    releaseSlot();
  }
}

async function assertPostNotFull(deps: Pick<Deps, "posts" | "limits">, caller: Caller, postId: string): Promise<void> {
  const post = await deps.posts.find(caller.studio.id, parsePostId(postId));
  if (!post) throw notFoundError("post");
  if (post.assetCount >= deps.limits.assetsPerPost) throw postFullError(deps);
}

async function storeImport(
  deps: ImportDeps,
  caller: Caller,
  { kind, mimeType, filename: givenFilename, isUrlSecret, postId }: FileToImport,
  call: IdempotentCall,
  response: PublicResponse,
  signal: AbortSignal,
): Promise<Output> {
  const body = await peekStream(translateStreamErrors(response.body), sniffBytes);
  const nameFromUrl = isUrlSecret ? "" : getFilenameFromUrl(response.url);
  const name = givenFilename === undefined || givenFilename === "" ? nameFromUrl : givenFilename;
  const statedTypes = [mimeType, response.headers["content-type"]];
  const { expectedType, filename } = await resolveImportType(body.head, statedTypes, name, kind);
  const maxBytes = deps.limits[expectedType.kind];
  if (Number(response.headers["content-length"] ?? 0) > maxBytes)
    throw new AppError("too_large:import", { limitBytes: maxBytes });

  const newAsset = buildNewAsset(deps, caller, { ...expectedType, filename });
  const storageKey = createFileKey(deps, newAsset.id);
  return withReservedKey(deps, storageKey, async (reserve) => {
    const storedFile = await deps.files.write(storageKey, body.readAll(), {
      mimeType: expectedType.mimeType,
      maxBytes,
      signal,
      beforeVisible: reserve,
    });
    const source = createStoredFileSource(deps.files, storageKey, storedFile.bytes, signal);
    const metadata = await readMediaMetadata(deps, source, expectedType, await checkContent(source, expectedType));
    const asset: Asset = { ...newAsset, ...toStoredFields(storageKey, storedFile, metadata), status: "ready" };
    const result = await deps.transact(caller, (tx) =>
      runOnce(deps, tx, caller, call, async () => {
        // Locks the post before `insertAsset` locks the studio; all calls use this order, to avoid deadlocks.
        if (postId !== undefined && !(await tx.posts.lock(asset.studioId, postId))) throw notFoundError("post");
        const host = isUrlSecret ? {} : { host: response.url.host };
        const detail = { filename, bytes: storedFile.bytes, ...host };
        await insertAsset(deps, tx, caller, asset, { action: "asset.imported", detail });
        // In the same transaction, so that an asset that can't be attached is not stored.
        if (postId !== undefined) await attachToPost(deps, tx, caller, asset, { postId, keepsApproval: tx.mayPublish });
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

/** A stream whose first bytes were read ahead; `readAll` still starts with them. */
interface PeekedStream {
  head: Uint8Array;
  readAll(): AsyncIterable<Uint8Array>;
}

async function peekStream(body: AsyncIterable<Uint8Array>, bytes: number): Promise<PeekedStream> {
  const chunks: Uint8Array[] = [];
  const iterator = body[Symbol.asyncIterator]();
  let readBytes = 0;
  while (readBytes < bytes) {
    const next = await iterator.next();
    if (next.done) break;
    chunks.push(next.value);
    readBytes += next.value.length;
  }
  async function* readAll(): AsyncGenerator<Uint8Array> {
    yield* chunks.splice(0);
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { head: Buffer.concat(chunks).subarray(0, bytes), readAll };
}

export const importAssetFromUrlInput = z.strictObject({
  url: text(4000),
  kind: z.enum(kindNames).optional().describe("Detected from the file if omitted."),
  filename: filenameInput,
  postId: id.optional().describe("Attach it to this post."),
  idempotencyKey,
});

/** Fetches a file from a public URL and stores it as a ready asset, on the post if there is a `postId`. */
export async function importAssetFromUrl(
  deps: ImportDeps,
  caller: Caller,
  input: z.infer<typeof importAssetFromUrlInput>,
  context: ImportContext = {},
): Promise<z.infer<typeof storedAssetOutput>> {
  authorize(caller, "assets.write");
  const { postId, idempotencyKey: key, ...fields } = input;
  const file = { ...fields, postId };
  return importFile(deps, caller, file, { verb: "import_asset_from_url", key, input: file }, context);
}

/** AI clients define these field names and may add fields, so unknown fields are ignored. */
const chatFile = z.object({
  download_url: text(8000),
  file_id: text(500),
  mime_type: text(200).optional(),
  // Invalid names are cleaned, not rejected, because neither the model nor the user can change what the client sends.
  file_name: z
    .string()
    .transform((name) => truncateFilename(cleanFilename(name.toWellFormed())))
    .optional(),
});

export const attachFileInput = z.strictObject({ postId: id, file: chatFile });

/** Fetches a file of the chat from the URL that the AI client supplies, and attaches it to a post. */
export async function attachFile(
  deps: ImportDeps,
  caller: Caller,
  { postId, file }: z.infer<typeof attachFileInput>,
  context: ImportContext = {},
): Promise<z.infer<typeof storedAssetOutput>> {
  authorize(caller, "assets.write");
  const { download_url: url, mime_type: mimeType, file_name: filename } = file;
  const fileToImport = { url, isUrlSecret: true, mimeType, filename, postId } as const;
  const callWithoutKey = { verb: "attach_file", key: undefined, input: undefined };
  return importFile(deps, caller, fileToImport, callWithoutKey, context);
}
