import { createClient, type Client, type RemoteFile } from "./client.ts";
import { createGate } from "./gate.ts";
import { explain, isSame, newWork, overallOf, type Chosen, type Item, type Overall, type Work } from "./item.ts";
import { createKeeper } from "./keeper.ts";
import { createPace } from "./pace.ts";
import { createPatience } from "./patience.ts";
import { transfer } from "./transfer.ts";

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

/** Parts on their way at once, and files: a browser opens six connections to a host, and some are for asking. */
const partsAtOnce = 4;
const filesAtOnce = 3;
/** Well within the 30 minutes of a link. */
const tokenReuseMs = 20 * 60_000;

export function createUploader({ token: newToken, onArrived }: UploaderOptions): Uploader {
  const works: Work[] = [];
  const listeners = new Set<() => void>();
  const tell = () => listeners.forEach((listener) => listener());
  const patience = createPatience(tell);
  const connections = createGate(partsAtOnce);
  const files = createGate(filesAtOnce);
  const keeper = createKeeper();
  const total = createPace();
  const clients = new Map<string, Client>();
  let made = 0;

  const clientOf = (token: string): Client => {
    const known = clients.get(token) ?? createClient(token);
    clients.set(token, known);
    return known;
  };
  let latest: { token: Promise<string>; at: number } | undefined;
  /** One link for all files that are chosen within some time, not one each. */
  function tokenNow(): Promise<string> {
    if (latest && Date.now() - latest.at < tokenReuseMs) return latest.token;
    const asked = { token: newToken(), at: Date.now() };
    asked.token.catch(() => latest === asked && (latest = undefined));
    latest = asked;
    return asked.token;
  }

  const find = (key: string) => works.find((work) => work.key === key);
  const chosen = (key: string | undefined) => (key === undefined ? works : works.filter((work) => work.key === key));

  async function run(work: Work, file: File): Promise<void> {
    const control = new AbortController();
    work.control = control;
    work.status = "waiting";
    work.error = undefined;
    work.pace.reset();
    tell();
    let leave = () => {};
    try {
      leave = await files.enter(control.signal);
      work.status = "sending";
      tell();
      work.token ??= await tokenNow();
      const { token } = work;
      const client = clientOf(token);
      const arrived = await transfer(file, { client, patience, connections, parallel: partsAtOnce }, control.signal, {
        onStarted({ file: remote }) {
          const unsaid = work.altText !== "" && work.altText !== remote.altText && work.id === undefined;
          work.id = remote.id;
          // The server knows it from before, under a row of its own: this one takes its place.
          const twin = works.findIndex((one) => one !== work && one.id === remote.id);
          if (twin >= 0) works.splice(twin, 1);
          if (unsaid) void client.setAltText(remote.id, work.altText).catch(() => {});
          else work.altText = remote.altText;
          void keeper.keep(token, file, work.kept?.handle);
          tell();
        },
        onProgress(sent) {
          work.sent = sent;
          work.pace.note(sent, performance.now());
          total.note(sum(), performance.now());
        },
        onChecking() {
          work.status = "checking";
          tell();
        },
      });
      settle(work, arrived);
      void keeper.forget(token, file);
      onArrived?.(arrived);
    } catch (error) {
      if (control.signal.aborted) return;
      work.status = "failed";
      work.error = explain(error);
    } finally {
      leave();
      tell();
    }
  }

  function settle(work: Work, remote: RemoteFile): void {
    work.status = "done";
    work.id = remote.id;
    work.name = remote.filename;
    work.sent = work.size;
    work.thumbnailUrl = remote.thumbnailUrl;
  }

  const sum = () => works.reduce((bytes, { sent }) => bytes + sent, 0);

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
        const client = clientOf(work.token);
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
        await patience.until(() => clientOf(token).setAltText(id, altText), new AbortController().signal);
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
