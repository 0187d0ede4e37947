import { openDiskStore, type DiskOptions, type DiskStore } from "#storage/disk/disk-store.ts";

const rejectUrl = async (): Promise<string> => Promise.reject(new Error("this store creates no URLs"));

/** Opens a disk store without HTTP: files are written and read through the store itself. */
export const openLocalDiskStore = (root: string, options: Partial<DiskOptions> = {}): Promise<DiskStore> =>
  openDiskStore({
    root,
    urls: {
      origin: "http://localhost",
      createUploadUrl: rejectUrl,
      createPartUrl: rejectUrl,
      createDownloadUrl: rejectUrl,
    },
    clock: () => Date.now(),
    minFreeBytes: 0,
    ...options,
  });
