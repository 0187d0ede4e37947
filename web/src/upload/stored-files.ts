/**
 * A file in IndexedDB, so that its upload can resume after a reload: as a handle if the browser provides one, otherwise
 * as a copy if it is small. Deleted when the upload ends or after `lifetimeMs`, whichever comes first.
 */
export interface StoredFile {
  handle: FileSystemFileHandle | undefined;
  /** With `promptUser`, asks the user for permission if the browser requires it. */
  open(options: { promptUser: boolean }): Promise<File | undefined>;
}

export interface StoredFiles {
  save(token: string, file: File, handle: FileSystemFileHandle | undefined): Promise<void>;
  delete(token: string, file: File): Promise<void>;
  list(token: string): Promise<(StoredFile & { name: string; size: number })[]>;
}

interface FileRecord {
  key: string;
  link: string;
  name: string;
  size: number;
  at: number;
  handle?: FileSystemFileHandle;
  file?: File;
}

/** Not in TypeScript's library yet: https://wicg.github.io/file-system-access/#api-filesystemhandle */
interface HandleWithPermissions extends FileSystemFileHandle {
  queryPermission?(options: { mode: "read" }): Promise<PermissionState>;
  requestPermission?(options: { mode: "read" }): Promise<PermissionState>;
}

/** Larger files are stored only as a handle. */
const maxStoredBytes = 64 * 1024 * 1024;
/** A little longer than an upload may take. */
const lifetimeMs = 25 * 3600 * 1000;

export function createStoredFiles(): StoredFiles {
  let databasePromise: Promise<IDBDatabase> | undefined;
  const getDatabase = () => (databasePromise ??= openDatabase());
  const toLinkKey = (token: string) => token.slice(-20);
  const toFileKey = (token: string, file: File) => `${toLinkKey(token)} ${file.name} ${file.size} ${file.lastModified}`;

  /** Ignores errors (private window, quota): the user can still choose the file again. */
  async function runInStore<T>(
    mode: IDBTransactionMode,
    createRequest: (store: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T | undefined> {
    try {
      const request = createRequest((await getDatabase()).transaction("files", mode).objectStore("files"));
      return await new Promise((resolve, reject) => {
        request.addEventListener("success", () => resolve(request.result));
        request.addEventListener("error", () => reject(request.error ?? new Error("IndexedDB request failed")));
      });
    } catch {
      return undefined;
    }
  }

  return {
    async save(token, file, handle) {
      if (!handle && file.size > maxStoredBytes) return;
      const record = {
        key: toFileKey(token, file),
        link: toLinkKey(token),
        name: file.name,
        size: file.size,
        at: Date.now(),
      };
      await runInStore("readwrite", (store) =>
        store.put({ ...record, ...(handle ? { handle } : { file }) } satisfies FileRecord),
      );
    },
    async delete(token, file) {
      await runInStore("readwrite", (store) => store.delete(toFileKey(token, file)));
    },
    async list(token) {
      const records = (await runInStore("readonly", (store) => store.getAll() as IDBRequest<FileRecord[]>)) ?? [];
      for (const { key } of records.filter(({ at }) => at < Date.now() - lifetimeMs))
        await runInStore("readwrite", (store) => store.delete(key));
      return records
        .filter(({ link, at }) => link === toLinkKey(token) && at >= Date.now() - lifetimeMs)
        .map(({ name, size, handle, file }) => ({
          name,
          size,
          handle,
          open: async ({ promptUser }) => file ?? openHandle(handle, promptUser),
        }));
    },
  };
}

async function openHandle(handle: HandleWithPermissions | undefined, promptUser: boolean): Promise<File | undefined> {
  try {
    const state = await (promptUser
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
    request.addEventListener("error", () => reject(request.error ?? new Error("IndexedDB is unavailable")));
  });
}
