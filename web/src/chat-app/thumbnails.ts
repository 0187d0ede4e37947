import { RequestError } from "../upload/client.ts";
import { createSemaphore } from "../upload/semaphore.ts";
import { isRecord } from "./bridge.ts";
import type { Host } from "./host.ts";
import type { AssetData } from "./read-post.ts";

/** The images of the post's files, as data URIs, because the host's policy allows no other images. */
export interface Thumbnails {
  /** Undefined until the image is loaded, or if the file has none. */
  get(assetId: string): string | undefined;
  /** Loads the missing images, including those that had a transient error, and calls `onLoad` after each. */
  load(assets: readonly AssetData[]): void;
}

const maxParallelCalls = 2;
const imageTypes = ["image/webp", "image/png", "image/jpeg"];

export function createThumbnails(host: Host, onLoad: () => void): Thumbnails {
  const images = new Map<string, string>();
  const requestedIds = new Set<string>();
  const slots = createSemaphore(maxParallelCalls);
  const { signal } = new AbortController();

  async function loadOne(assetId: string): Promise<void> {
    const release = await slots.acquire(signal);
    try {
      const { content } = await host.callTool("app_get_thumbnail", { assetId });
      const image = content.map(toDataUri).find((uri) => uri !== undefined);
      if (image === undefined) return;
      images.set(assetId, image);
      onLoad();
    } catch (error) {
      // The file is shown without an image. After a transient error, the next `load` tries again.
      if (error instanceof RequestError && error.isTransient) requestedIds.delete(assetId);
    } finally {
      release();
    }
  }

  return {
    get: (assetId) => images.get(assetId),
    load(assets) {
      for (const { id, mimeType, isReady } of assets) {
        if (!isReady || !mimeType.startsWith("image/") || requestedIds.has(id)) continue;
        requestedIds.add(id);
        void loadOne(id);
      }
    },
  };
}

function toDataUri(block: unknown): string | undefined {
  if (!isRecord(block) || block["type"] !== "image") return undefined;
  const { data, mimeType } = block;
  if (typeof data !== "string" || typeof mimeType !== "string" || !imageTypes.includes(mimeType)) return undefined;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? `data:${mimeType};base64,${data}` : undefined;
}
