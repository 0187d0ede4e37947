import { AppError, OperatorError } from "#lib/errors.ts";

/** The data folder cannot be used. Thrown at startup, with a message that the operator can act on. */
export class UnusableFolderError extends OperatorError {
  override readonly name = "UnusableFolderError";
}

/**
 * Translates file system errors. Regardless of the reason (disk full, I/O error, permissions, too many open files), the
 * client only needs to know that the bytes are not stored and that it can retry. Paths appear only in the log.
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

/** Resolves to undefined if the file or folder does not exist. */
export async function undefinedIfMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (getErrno(error) === "ENOENT") return undefined;
    throw toDiskError(error);
  }
}
