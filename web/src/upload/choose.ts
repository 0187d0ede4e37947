import type { Chosen } from "./item.ts";

/** Not in TypeScript's library yet. */
interface HandledItem extends DataTransferItem {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

/** All files of a drop, those in its folders included. Must be called while the event is being handled. */
export async function filesOfDrop(transfer: DataTransfer): Promise<Chosen[]> {
  const items = [...transfer.items].filter(({ kind }) => kind === "file");
  // Everything is asked for before the first wait: after it the browser has emptied the list.
  const asked = items.map((item: HandledItem) => ({
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
    handle: item.getAsFileSystemHandle?.().catch(() => null),
  }));
  const found: Chosen[] = [];
  for (const { entry, file, handle } of asked) {
    if (entry?.isDirectory) found.push(...(await filesIn(entry as FileSystemDirectoryEntry)));
    else if (file) {
      const held = await handle;
      found.push({ file, handle: held?.kind === "file" ? (held as FileSystemFileHandle) : undefined });
    }
  }
  return found;
}

async function filesIn(folder: FileSystemDirectoryEntry): Promise<Chosen[]> {
  const reader = folder.createReader();
  const found: Chosen[] = [];
  for (;;) {
    // It answers a hundred at a time, and nothing when it is through.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return found;
    for (const entry of entries) {
      if (entry.isDirectory) found.push(...(await filesIn(entry as FileSystemDirectoryEntry)));
      else
        found.push({
          file: await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
        });
    }
  }
}

/** What systems leave in folders, and nobody means to send. */
const litter = /^(\.DS_Store|Thumbs\.db|desktop\.ini|\._.*)$/i;

export const withoutLitter = (chosen: readonly Chosen[]): Chosen[] =>
  chosen.filter(({ file }) => !litter.test(file.name));
