import type { ChosenFile } from "./upload-task.ts";

/** Not in TypeScript's library yet. */
interface ItemWithHandle extends DataTransferItem {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

/**
 * Returns all dropped files, including those in folders. Skips what the browser can't read, and calls `onUnreadable`
 * for each. Call it synchronously in the handler of the drop event.
 */
export async function readDroppedFiles(transfer: DataTransfer, onUnreadable: () => void): Promise<ChosenFile[]> {
  const items = [...transfer.items].filter(({ kind }) => kind === "file");
  // Read every item before the first await: the browser clears the list afterwards.
  const droppedItems = items.map((item: ItemWithHandle) => ({
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
    handle: item.getAsFileSystemHandle?.().catch(() => null),
  }));
  const files: ChosenFile[] = [];
  for (const { entry, file, handle } of droppedItems) {
    if (entry?.isDirectory) await readFolder(entry as FileSystemDirectoryEntry, files, onUnreadable);
    else if (file) {
      const resolvedHandle = await handle;
      files.push({
        file,
        handle: resolvedHandle?.kind === "file" ? (resolvedHandle as FileSystemFileHandle) : undefined,
      });
    } else onUnreadable();
  }
  return files;
}

/** Adds the files of the folder to `files`. */
async function readFolder(
  folder: FileSystemDirectoryEntry,
  files: ChosenFile[],
  onUnreadable: () => void,
): Promise<void> {
  const reader = folder.createReader();
  try {
    for (;;) {
      // Returns up to 100 entries per call, and an empty array at the end.
      const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (entries.length === 0) return;
      for (const entry of entries) {
        if (entry.isDirectory) await readFolder(entry as FileSystemDirectoryEntry, files, onUnreadable);
        else
          await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)).then(
            (file) => files.push({ file }),
            onUnreadable,
          );
      }
    }
  } catch {
    onUnreadable();
  }
}

/** Metadata files that operating systems create in folders. */
const systemFileName = /^(\.DS_Store|Thumbs\.db|desktop\.ini|\._.*)$/i;

export const withoutSystemFiles = (chosenFiles: readonly ChosenFile[]): ChosenFile[] =>
  chosenFiles.filter(({ file }) => !systemFileName.test(file.name));
