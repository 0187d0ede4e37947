import type { ContentAsset } from "#domain/publishing/ports.ts";
import type { FetchedMedia, MediaUpload, SessionUpload, UploadCall } from "./media-upload.ts";
import type { JsonObject } from "./platform.ts";
import type { CallOutcome, PublishCalls } from "./publish-calls.ts";
import type { PublishContext } from "./publishing.ts";
import { createUploadBody } from "./upload-body.ts";

/** Reads a stored file, or a range of it; both ends are inclusive. */
export type OpenFile = (key: string, range?: { start: number; end: number }) => Promise<AsyncIterable<Uint8Array>>;

export interface MediaTransfer {
  calls: PublishCalls;
  platformId: string;
  openFile: OpenFile;
  signal: AbortSignal;
}

export interface UploadedMedia {
  id: string;
  /** Whether the platform still processes the file. */
  isPending: boolean;
}

/** Transfers one file to the platform, and its alt text. */
export async function uploadMedia(
  transfer: MediaTransfer,
  upload: MediaUpload,
  asset: ContentAsset,
  context: PublishContext,
): Promise<CallOutcome<UploadedMedia>> {
  const media = await sendFile(transfer, upload, asset, context);
  if ("kind" in media) return media;
  const { id, status, body } = media.value;
  const altTextCall = upload.buildAltTextCall?.(context, asset, id);
  if (altTextCall) {
    const { calls, platformId, signal } = transfer;
    const altTextOutcome = await calls.call(platformId, altTextCall, () => true, { signal });
    if ("kind" in altTextOutcome) return altTextOutcome;
  }
  return { value: { id, isPending: upload.processing?.isPending(status, body) ?? false } };
}

/** The last response of an upload. */
interface SentMedia {
  id: string;
  status: number;
  body: JsonObject;
}

async function sendFile(
  transfer: MediaTransfer,
  upload: MediaUpload,
  asset: ContentAsset,
  context: PublishContext,
): Promise<CallOutcome<SentMedia>> {
  if ("start" in upload) return sendInSession(transfer, upload, asset, context);
  const parse = (body: JsonObject, status: number): SentMedia => ({ id: upload.parseId(body), status, body });
  if ("buildFetchCall" in upload) return requestFetch(transfer, upload, asset, context, parse);
  return sendPart(transfer, upload.buildCall(context, asset), asset, undefined, parse);
}

function requestFetch<T>(
  { calls, platformId, signal }: MediaTransfer,
  { buildFetchCall }: FetchedMedia,
  asset: ContentAsset,
  context: PublishContext,
  parse: (body: JsonObject, status: number) => T,
): Promise<CallOutcome<T>> {
  return calls.call(platformId, buildFetchCall(context, asset), parse, { signal });
}

async function sendInSession(
  transfer: MediaTransfer,
  { start, part, finish }: SessionUpload,
  asset: ContentAsset,
  context: PublishContext,
): Promise<CallOutcome<SentMedia>> {
  const { calls, platformId, signal } = transfer;
  const parseSession = (body: JsonObject) => start.parseSession(body, asset);
  const session = await calls.call(platformId, start.buildCall(context, asset), parseSession, { signal });
  if ("kind" in session) return session;
  const { mediaId: id, parts } = session.value;
  const partIds: string[] = [];
  let lastResponse: SentMedia = { id, status: 200, body: {} };
  for (const [index, range] of parts.entries()) {
    const call = part.buildCall(context, asset, session.value, index);
    const partOutcome = await sendPart(transfer, call, asset, range, (body, status, headers) => ({
      media: { id, status, body },
      partId: part.parseId?.(headers),
    }));
    if ("kind" in partOutcome) return partOutcome;
    lastResponse = partOutcome.value.media;
    if (partOutcome.value.partId !== undefined) partIds.push(partOutcome.value.partId);
  }
  if (!finish) return { value: lastResponse };
  const call = finish.buildCall(context, session.value, partIds);
  return calls.call(platformId, call, (body, status) => ({ id, status, body }), { signal });
}

/** Sends the file, or a range of it. */
function sendPart<T>(
  { calls, platformId, openFile, signal }: MediaTransfer,
  { upload: form, ...call }: UploadCall,
  asset: ContentAsset,
  range: { start: number; end: number } | undefined,
  parse: (body: JsonObject, status: number, headers: Headers) => T,
): Promise<CallOutcome<T>> {
  const bytes = range ? range.end - range.start + 1 : asset.bytes;
  const file = { bytes, open: () => openFile(asset.storageKey, range && { start: range.start, end: range.end }) };
  return calls.call(platformId, call, parse, {
    ...createUploadBody(form, file),
    signal,
    ignoresBody: range !== undefined,
  });
}
