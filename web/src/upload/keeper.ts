/**
 * Keeps files over a reload, in the browser's own database: as a handle where the browser gave one, or whole where it
 * is small. Only while they are on their way, and never longer than a link's files have to arrive.
 */
export interface Kept {
  handle: FileSystemFileHandle | undefined;
  /** The file; with `ask`, after asking the person, where the browser wants that. */
  open(ask: boolean): Promise<File | undefined>;
}

export interface Keeper {
  keep(token: string, file: File, handle: FileSystemFileHandle | undefined): Promise<void>;
  forget(token: string, file: File): Promise<void>;
  list(token: string): Promise<(Kept & { name: string; size: number })[]>;
}

interface Row {
  key: string;
  link: string;
  name: string;
  size: number;
  at: number;
  handle?: FileSystemFileHandle;
  file?: File;
}

/** Not in TypeScript's library yet: https://wicg.github.io/file-system-access/#api-filesystemhandle */
interface AskingHandle extends FileSystemFileHandle {
  queryPermission?(options: { mode: "read" }): Promise<PermissionState>;
  requestPermission?(options: { mode: "read" }): Promise<PermissionState>;
}

const largestKept = 64 * 1024 * 1024;
const lifetimeMs = 25 * 3600 * 1000;

export function createKeeper(): Keeper {
  let opening: Promise<IDBDatabase> | undefined;
  const database = () => (opening ??= openDatabase());
  const linkOf = (token: string) => token.slice(-20);
  const keyOf = (token: string, file: File) => `${linkOf(token)} ${file.name} ${file.size} ${file.lastModified}`;

  /** What cannot be kept (a private window, no room left) is chosen again by hand: no reason to fail. */
  async function within<T>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T | undefined> {
    try {
      const request = work((await database()).transaction("files", mode).objectStore("files"));
      return await new Promise((resolve, reject) => {
        request.addEventListener("success", () => resolve(request.result));
        request.addEventListener("error", () => reject(request.error ?? new Error("not kept")));
      });
    } catch {
      return undefined;
    }
  }

  return {
    async keep(token, file, handle) {
      if (!handle && file.size > largestKept) return;
      const row = { key: keyOf(token, file), link: linkOf(token), name: file.name, size: file.size, at: Date.now() };
      await within("readwrite", (store) => store.put({ ...row, ...(handle ? { handle } : { file }) } satisfies Row));
    },
    async forget(token, file) {
      await within("readwrite", (store) => store.delete(keyOf(token, file)));
    },
    async list(token) {
      const rows = (await within("readonly", (store) => store.getAll() as IDBRequest<Row[]>)) ?? [];
      for (const { key } of rows.filter(({ at }) => at < Date.now() - lifetimeMs))
        await within("readwrite", (store) => store.delete(key));
      return rows
        .filter(({ link, at }) => link === linkOf(token) && at >= Date.now() - lifetimeMs)
        .map(({ name, size, handle, file }) => ({
          name,
          size,
          handle,
          open: async (ask) => file ?? openHandle(handle, ask),
        }));
    },
  };
}

async function openHandle(handle: AskingHandle | undefined, ask: boolean): Promise<File | undefined> {
  try {
    const state = await (ask
      ? handle?.requestPermission?.({ mode: "read" })
      : handle?.queryPermission?.({ mode: "read" }));
    return state === "granted" ? await handle?.getFile() : undefined;
  } catch {
    return undefined;
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("atelier-uploads", 1);
    request.addEventListener("upgradeneeded", () => request.result.createObjectStore("files", { keyPath: "key" }));
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("no database")));
  });
}
