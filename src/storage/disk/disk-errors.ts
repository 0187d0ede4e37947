import { AppError, OperatorError } from "#lib/errors.ts";

/** A data folder that cannot be used as it is. Said at start, in words the operator can act on. */
export class UnusableFolderError extends OperatorError {
  override readonly name = "UnusableFolderError";
}

/**
 * A call to the file system. Whatever it fails with (full, broken, not ours, too many open files) means the same to
 * whoever asked: the bytes are not stored, and trying later makes sense. Paths stay in the log.
 */
export async function withDiskErrors<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    throw toDiskError(error);
  }
}

export function toDiskError(error: unknown): AppError {
  const isFull = ["ENOSPC", "EDQUOT"].includes(getErrno(error) ?? "");
  if (isFull) return diskFullError(error);
  return new AppError("storage_unavailable:store", undefined, { retryAfter: 5, cause: error });
}

export function diskFullError(cause?: unknown): AppError {
  return new AppError("storage_unavailable:disk_full", undefined, { retryAfter: 60, cause });
}

export const getErrno = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

/** What a call answers, or undefined where the file or folder is not there. */
export async function undefinedIfMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (getErrno(error) === "ENOENT") return undefined;
    throw toDiskError(error);
  }
}
