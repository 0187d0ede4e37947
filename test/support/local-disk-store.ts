import { systemClock } from "#lib/clock.ts";
import { openDiskStore, type DiskOptions, type DiskStore } from "#storage/disk/disk-store.ts";

const createUrl = async (): Promise<string> => "http://localhost/nowhere";

/** Opens a disk store without HTTP: files are written and read through the store itself. */
export const openLocalDiskStore = (root: string, options: Partial<DiskOptions> = {}): Promise<DiskStore> =>
  openDiskStore({
    root,
    urls: {
      origin: "http://localhost",
      createUploadUrl: createUrl,
      createPartUrl: createUrl,
      createDownloadUrl: createUrl,
    },
    clock: systemClock,
    minFreeBytes: 0,
    ...options,
  });
