import type { ImageLimit } from "./limits.ts";

/** The limits of an image in a post with this many files. */
export function selectImageLimit({ asOnlyFile, ...limit }: ImageLimit, fileCount: number): ImageLimit {
  return fileCount === 1 ? { ...limit, ...asOnlyFile } : limit;
}
