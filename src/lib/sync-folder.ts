import { open } from "node:fs/promises";

/** Makes new and renamed files of a folder durable. Windows has no such call and needs none: NTFS journals renames. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  await using folder = await open(path, "r");
  // Some network file systems do not support fsync on folders.
  await folder.sync().catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "EINVAL" && code !== "ENOTSUP") throw error;
  });
}
