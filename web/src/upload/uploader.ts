import type { RemoteFile } from "./client.ts";
import { isSame, newWork, overallOf, type Chosen, type Item, type Overall, type Work } from "./item.ts";
import { createKeeper } from "./keeper.ts";
import { createLinks } from "./links.ts";
import { createPace } from "./pace.ts";
import { createPatience } from "./patience.ts";
import { createSender } from "./send-file.ts";

export interface Uploader {
  items(): readonly Item[];
  overall(): Overall;
  /** Begins at once. Answers the names of files that are in the list already. */
  add(chosen: readonly Chosen[]): string[];
  /** One, or all. */
  pause(key?: string): void;
  resume(key?: string): void;
  cancel(key: string): void;
  setAltText(key: string, altText: string): Promise<boolean>;
  /** Shows what was sent through this link before. */
  restore(token: string, files: readonly RemoteFile[]): Promise<void>;
  subscribe(listener: () => void): () => void;
  destroy(): void;
}

export interface UploaderOptions {
  /** The token of a link that takes new files. */
  token: () => Promise<string>;
  onArrived?: ((file: RemoteFile) => void) | undefined;
}

export function createUploader({ token: newToken, onArrived }: UploaderOptions): Uploader {
  const works: Work[] = [];
  const listeners = new Set<() => void>();
  const tell = () => listeners.forEach((listener) => listener());
  const patience = createPatience(tell);
  const keeper = createKeeper();
  const total = createPace();
  const links = createLinks(newToken);
  const run = createSender({ works, links, keeper, patience, total, tell, onArrived });
  let made = 0;

  const find = (key: string) => works.find((work) => work.key === key);
  const chosen = (key: string | undefined) => (key === undefined ? works : works.filter((work) => work.key === key));

  function put(given: Pick<Work, "name" | "size" | "type"> & Partial<Work>): Work {
    const work = newWork(`file-${++made}`, given);
    works.push(work);
    return work;
  }

  async function takeKept(work: Work): Promise<void> {
    const file = await work.kept?.open(true);
    if (!file) return;
    work.file = file;
    await run(work, file);
  }

  const uploader: Uploader = {
    items() {
      const now = performance.now();
      for (const work of works) {
        const speed = work.status === "sending" && patience.connection() === "good" ? work.pace.speed(now) : 0;
        work.speed = speed > 0 ? speed : undefined;
        work.secondsLeft = work.speed === undefined ? undefined : (work.size - work.sent) / work.speed;
      }
      return works;
    },
    overall: () => overallOf(works, total, patience),
    add(list) {
      const double: string[] = [];
      for (const { file, handle } of list) {
        const same = works.find((work) => isSame(work, file));
        if (same && same.status !== "missing" && same.status !== "failed") {
          double.push(file.name);
          continue;
        }
        const work = same ?? put({ name: file.name, size: file.size, type: file.type });
        work.file = file;
        work.kept = handle && { handle, open: async () => file };
        void run(work, file);
      }
      tell();
      return double;
    },
    pause(key) {
      for (const work of chosen(key)) {
        if (work.status !== "waiting" && work.status !== "sending") continue;
        work.status = "paused";
        work.control?.abort(new DOMException("paused", "AbortError"));
      }
      tell();
    },
    resume(key) {
      for (const work of chosen(key)) {
        if (work.status === "missing" && work.kept) void takeKept(work);
        else if ((work.status === "paused" || work.status === "failed") && work.file) void run(work, work.file);
      }
      tell();
    },
    cancel(key) {
      const work = find(key);
      if (!work) return;
      work.control?.abort(new DOMException("cancelled", "AbortError"));
      works.splice(works.indexOf(work), 1);
      if (work.token !== undefined && work.status !== "done") {
        const client = links.client(work.token);
        const { id } = work;
        if (id !== undefined)
          void patience.until(() => client.cancel(id), new AbortController().signal).catch(() => {});
        if (work.file) void keeper.forget(work.token, work.file);
      }
      tell();
    },
    async setAltText(key, altText) {
      const work = find(key);
      if (!work || work.altText === altText) return true;
      work.altText = altText;
      const { token, id } = work;
      if (token === undefined || id === undefined) return true; // said when it begins
      try {
        await patience.until(() => links.client(token).setAltText(id, altText), new AbortController().signal);
        return true;
      } catch {
        return false;
      }
    },
    async restore(token, remote) {
      const known = await keeper.list(token);
      for (const file of remote) {
        if (works.some(({ id }) => id === file.id)) continue;
        const base = {
          name: file.filename,
          size: file.bytes,
          type: file.mimeType,
          altText: file.altText,
          token,
          id: file.id,
        };
        if (file.status === "ready") {
          put({ ...base, status: "done", sent: file.bytes, thumbnailUrl: file.thumbnailUrl });
          continue;
        }
        const kept = known.find((one) => one.size === file.bytes && one.name === file.filename);
        const work = put({ ...base, status: "missing", kept });
        const opened = await kept?.open(false);
        if (!opened || work.status !== "missing") continue;
        work.file = opened;
        void run(work, opened);
      }
      tell();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    destroy() {
      uploader.pause();
      patience.destroy();
      listeners.clear();
    },
  };
  return uploader;
}
