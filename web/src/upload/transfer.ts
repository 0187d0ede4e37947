import { RequestError, type Client, type RemoteFile, type Started } from "./client.ts";
import type { Gate } from "./gate.ts";
import type { Patience } from "./patience.ts";
import { sendPart } from "./send-part.ts";

export interface TransferParts {
  client: Client;
  patience: Patience;
  /** How many parts of all files are on their way at once. */
  connections: Gate;
  parallel: number;
}

export interface TransferEvents {
  onStarted(started: Started): void;
  /** Bytes that are there, and on their way. */
  onProgress(sent: number): void;
  onChecking(): void;
}

const headBytes = 64 * 1024;
/** Addresses asked for at once. */
const batch = 24;
/** How often a store may say no to an address before it is believed. */
const maxRefusals = 4;
const maxRounds = 5;

/**
 * Sends one file: begins it, or learns what is there of it; sends what is missing, several parts at once; and has the
 * server put it together. Everything can be called off at any time and begun again.
 */
export async function transfer(
  file: File,
  parts: TransferParts,
  signal: AbortSignal,
  events: TransferEvents,
): Promise<RemoteFile> {
  const { client, patience } = parts;
  const head = await readHead(file);
  const named = {
    name: file.name.toWellFormed(),
    size: file.size,
    lastModified: file.lastModified,
    type: file.type,
    head,
  };
  for (let round = 0; ; round++) {
    const started = await patience.until(() => client.start(named, signal), signal);
    events.onStarted(started);
    if (started.file.status === "ready") return started.file;
    await sendMissing(file, started, parts, signal, events.onProgress);
    events.onChecking();
    try {
      return await patience.until(() => client.complete(started.file.id, signal), signal);
    } catch (error) {
      // The store has not kept all that it took: what is missing is sent again.
      if (!(error instanceof RequestError) || error.code !== "not_uploaded" || round >= maxRounds) throw error;
    }
  }
}

async function sendMissing(
  file: File,
  { file: { id }, partBytes, parts: there }: Started,
  { client, patience, connections, parallel }: TransferParts,
  signal: AbortSignal,
  onProgress: (sent: number) => void,
): Promise<void> {
  const count = Math.ceil(file.size / partBytes);
  const present = new Set(there);
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter((part) => !present.has(part));
  const lengthOf = (part: number) => Math.min(partBytes, file.size - (part - 1) * partBytes);
  let done = there.reduce((sum, part) => sum + lengthOf(part), 0);
  const moving = new Map<number, number>();
  const tell = () => onProgress(done + [...moving.values()].reduce((sum, sent) => sum + sent, 0));
  tell();

  const addresses = new Map<number, string>();
  let asking: Promise<void> | undefined;
  async function ask(part: number): Promise<void> {
    const ahead = missing.filter((one) => one > part && !addresses.has(one)).slice(0, batch - 1);
    const found = await patience.until(() => client.addresses(id, [part, ...ahead], signal), signal);
    for (const { part: number, url } of found) addresses.set(number, url);
  }
  async function addressOf(part: number): Promise<string> {
    for (;;) {
      const url = addresses.get(part);
      if (url !== undefined) return url;
      asking ??= ask(part).finally(() => (asking = undefined));
      await asking;
    }
  }

  // The first failure of any part calls off the others.
  const together = new AbortController();
  const either = AbortSignal.any([signal, together.signal]);
  const queue = missing.values();

  async function sendOne(part: number): Promise<void> {
    const blob = file.slice((part - 1) * partBytes, (part - 1) * partBytes + lengthOf(part));
    for (let refusals = 0; ;) {
      try {
        await patience.until(async () => {
          const url = await addressOf(part);
          const leave = await connections.enter(either);
          try {
            await sendPart(url, blob, either, (sent) => {
              moving.set(part, sent);
              tell();
            });
          } finally {
            leave();
          }
        }, either);
        break;
      } catch (error) {
        // 403, 404, 410: the URL has expired, or the file was canceled. Asking for a new URL tells which.
        const stale =
          error instanceof RequestError && [400, 403, 404, 410].includes(error.status) && ++refusals < maxRefusals;
        if (!stale) throw error;
        addresses.delete(part);
      }
    }
    moving.delete(part);
    done += blob.size;
    tell();
  }

  async function work(): Promise<void> {
    for (const part of queue) {
      try {
        await sendOne(part);
      } catch (error) {
        together.abort(error);
        throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, missing.length) }, work));
}

/** The beginning as base64, for the server's first look. Throws where the file cannot be read any more. */
async function readHead(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}
