import type { PartTarget, RemoteFile, StartedUpload, UploadClient } from "../upload/client.ts";
import { RequestError } from "../upload/client.ts";
import { createSemaphore } from "../upload/semaphore.ts";
import { sendPart } from "../upload/send-part.ts";
import type { Host } from "./host.ts";

/** A part that is sent as base64 through the host takes a while. */
const partTimeoutMs = 180_000;
const maxParallelMessages = 2;

/** Implements the uploader's API with tool calls. Here, the token of an upload link is its id. */
export function createToolClients(host: Host): (uploadId: string) => UploadClient {
  const sendToStore = createPartSender(host);
  return (uploadId) => {
    const call = async (name: string, args: object, signal?: AbortSignal) =>
      (await host.callTool(name, { uploadId, ...args }, { signal })).output;
    return {
      // The post that the app shows has this information.
      getLinkDetails: () => Promise.reject(new RequestError(404)),
      startFile: async (file) => (await call("app_start_file", file)) as unknown as StartedUpload,
      async createPartUrls(fileId, parts, signal) {
        const { urls } = await call("app_create_part_urls", { fileId, parts }, signal);
        return urls as { part: number; url: string }[];
      },
      completeFile: async (fileId, signal) => withoutThumbnail(await call("app_complete_file", { fileId }, signal)),
      setAltText: async (fileId, altText) => {
        const { output } = await host.callTool("update_asset", { assetId: fileId, altText });
        return output as unknown as RemoteFile;
      },
      cancelFile: async (fileId) => void (await call("app_cancel_file", { fileId })),
      sendPart: (target, body, signal, onProgress) => sendToStore({ ...target, uploadId }, body, signal, onProgress),
    };
  };
}

/** The host's policy blocks the image behind the URL. */
function withoutThumbnail(output: Record<string, unknown>): RemoteFile {
  const { thumbnailUrl: _, ...file } = output;
  return file as unknown as RemoteFile;
}

type SendPartToStore = (
  target: PartTarget & { uploadId: string },
  body: Blob,
  signal: AbortSignal,
  onProgress: (sentBytes: number) => void,
) => Promise<void>;

/** Sends parts straight to the store, or as base64 in tool calls once it is clear that the app can't connect to it. */
function createPartSender(host: Host): SendPartToStore {
  let method: "unknown" | "direct" | "message" = "unknown";
  const messageSlots = createSemaphore(maxParallelMessages);
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
    if (effectiveDirective === "connect-src") method = "message";
  });

  return async ({ uploadId, fileId, part, url }, body, signal, onProgress) => {
    if (method === "unknown" && host.mayConnectTo(url) === false) method = "message";
    if (method !== "message") {
      try {
        await sendPart(url, body, signal, onProgress);
        method = "direct";
        return;
      } catch (error) {
        // Browsers report a failed network and a request that the store's CORS rules forbid in the same way.
        const isBlocked = error instanceof RequestError && error.status === 0 && navigator.onLine && !hasReachedStore();
        if (!isBlocked) throw error;
      }
    }
    const release = await messageSlots.acquire(signal);
    try {
      const base64 = await encodeBase64(body);
      await host.callTool("app_send_part", { uploadId, fileId, part, base64 }, { signal, timeoutMs: partTimeoutMs });
      method = "message";
      onProgress(body.size);
    } finally {
      release();
    }
  };

  function hasReachedStore(): boolean {
    return method === "direct";
  }
}

function encodeBase64(body: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve((reader.result as string).split(",", 2)[1] ?? ""));
    reader.addEventListener("error", () => reject(reader.error ?? new DOMException("not readable")));
    reader.readAsDataURL(body);
  });
}
