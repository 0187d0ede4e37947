import { RequestError, type UploadClient, type RemoteFile, type StartedUpload } from "./client.ts";
import type { Semaphore } from "./semaphore.ts";
import type { Retrier } from "./retrier.ts";
import { sendPart } from "./send-part.ts";

export interface TransferOptions {
  client: UploadClient;
  retrier: Retrier;
  /** Limits parallel part uploads across all files. */
  connectionSlots: Semaphore;
  maxParallelParts: number;
}

export interface TransferSignals {
  /** Starts no more requests, and lets the parts in flight finish: what they have sent is not lost. */
  pause: AbortSignal;
  /** Also aborts the parts in flight. */
  abort: AbortSignal;
}

export interface TransferEvents {
  /** Called after each attempt to start the file, successful or not. */
  onStartAttempted(): void;
  onStarted(startedUpload: StartedUpload): void;
  /** `sentBytes` includes stored parts and the bytes in flight. */
  onProgress(sentBytes: number): void;
  onChecking(): void;
}

const headBytes = 64 * 1024;
/** The number of part URLs to request at a time. */
const urlBatchSize = 24;
/** After this many rejected URLs for one part, the file fails. */
const maxRejections = 4;
const maxCompletionRounds = 5;

/**
 * Uploads one file: starts or resumes it, sends the missing parts in parallel, and completes it. Both signals make it
 * reject at any point, once no part is in flight; a later call resumes.
 */
export async function transfer(
  file: File,
  options: TransferOptions,
  signals: TransferSignals,
  events: TransferEvents,
): Promise<RemoteFile> {
  const { client, retrier } = options;
  const signal = AbortSignal.any([signals.pause, signals.abort]);
  const head = await readHead(file);
  const fileDescription = {
    name: file.name.toWellFormed(),
    size: file.size,
    lastModified: file.lastModified,
    type: file.type,
    head,
  };
  for (let round = 0; ; round++) {
    // `startFile` is not aborted: the server may already have created the file, and canceling it needs its id.
    const startedUpload = await retrier.run(
      () => client.startFile(fileDescription).finally(events.onStartAttempted),
      signal,
    );
    events.onStarted(startedUpload);
    signal.throwIfAborted();
    if (startedUpload.file.status === "ready") return startedUpload.file;
    await sendMissingParts(file, startedUpload, options, signals, events.onProgress);
    events.onChecking();
    try {
      return await retrier.run(() => client.completeFile(startedUpload.file.id, signal), signal);
    } catch (error) {
      // The store lost parts that it had accepted: send them again.
      if (!(error instanceof RequestError) || error.code !== "not_uploaded" || round >= maxCompletionRounds)
        throw error;
    }
  }
}

async function sendMissingParts(
  file: File,
  { file: { id }, partBytes, parts: uploadedParts }: StartedUpload,
  { client, retrier, connectionSlots, maxParallelParts }: TransferOptions,
  signals: TransferSignals,
  onProgress: (sentBytes: number) => void,
): Promise<void> {
  // The first part that fails aborts the others.
  const failureController = new AbortController();
  const partSignal = AbortSignal.any([signals.abort, failureController.signal]);
  const signal = AbortSignal.any([signals.pause, partSignal]);
  const partCount = Math.ceil(file.size / partBytes);
  const uploadedPartSet = new Set(uploadedParts);
  const missingParts = Array.from({ length: partCount }, (_, i) => i + 1).filter((part) => !uploadedPartSet.has(part));
  const getPartLength = (part: number) => Math.min(partBytes, file.size - (part - 1) * partBytes);
  let completedBytes = uploadedParts.reduce((sum, part) => sum + getPartLength(part), 0);
  const bytesInFlight = new Map<number, number>();
  const reportProgress = () =>
    onProgress(completedBytes + [...bytesInFlight.values()].reduce((sum, bytes) => sum + bytes, 0));
  reportProgress();

  const partUrls = new Map<number, string>();
  let pendingUrlRequest: Promise<void> | undefined;
  async function fetchPartUrls(part: number): Promise<void> {
    const upcomingParts = missingParts
      .filter((candidate) => candidate > part && !partUrls.has(candidate))
      .slice(0, urlBatchSize - 1);
    const createdUrls = await retrier.run(() => client.createPartUrls(id, [part, ...upcomingParts], signal), signal);
    for (const { part: partNumber, url } of createdUrls) partUrls.set(partNumber, url);
  }
  async function getPartUrl(part: number): Promise<string> {
    for (;;) {
      const url = partUrls.get(part);
      if (url !== undefined) return url;
      pendingUrlRequest ??= fetchPartUrls(part).finally(() => (pendingUrlRequest = undefined));
      await pendingUrlRequest;
    }
  }

  const queue = missingParts.values();

  async function sendWithFreshUrls(part: number): Promise<void> {
    const blob = file.slice((part - 1) * partBytes, (part - 1) * partBytes + getPartLength(part));
    for (let rejections = 0; ;) {
      try {
        await retrier.run(async () => {
          const url = await getPartUrl(part);
          const release = await connectionSlots.acquire(signal);
          try {
            const onPartProgress = (sentBytes: number) => {
              bytesInFlight.set(part, sentBytes);
              reportProgress();
            };
            await (client.sendPart
              ? client.sendPart({ fileId: id, part, url }, blob, partSignal, onPartProgress)
              : sendPart(url, blob, partSignal, onPartProgress));
          } finally {
            release();
          }
        }, signal);
        break;
      } catch (error) {
        // The URL has expired, or the file was canceled. The request for a new URL fails if it was canceled.
        const canTryNewUrl =
          error instanceof RequestError && [400, 403, 404, 410].includes(error.status) && ++rejections < maxRejections;
        if (!canTryNewUrl) throw error;
        partUrls.delete(part);
      }
    }
    bytesInFlight.delete(part);
    completedBytes += blob.size;
    reportProgress();
  }

  async function sendQueuedParts(): Promise<void> {
    for (const part of queue) {
      try {
        await sendWithFreshUrls(part);
      } catch (error) {
        if (!signals.pause.aborted) failureController.abort(error);
        throw error;
      }
    }
  }
  await Promise.allSettled(Array.from({ length: Math.min(maxParallelParts, missingParts.length) }, sendQueuedParts));
  signal.throwIfAborted();
}

/** Returns the first bytes as base64, for the server's early content check. Throws if the file can no longer be read. */
async function readHead(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
  let text = "";
  for (let offset = 0; offset < bytes.length; offset += 8192)
    text += String.fromCharCode(...bytes.subarray(offset, offset + 8192));
  return btoa(text);
}
