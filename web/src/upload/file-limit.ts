import type { UploadLinkDetails } from "./client.ts";
import { interpolate, type Strings } from "./strings.ts";
import type { UploadItem } from "./upload-task.ts";

/** How many files the post can have, and how many of them can be in this list. */
export interface FileLimit {
  perPost: number;
  /** How many positions on the post are free or taken by files of this list. */
  positionCount: number;
}

/** Whether the file has a position on the post, or gets one when its upload starts. */
export const takesPosition = ({ status, error, id }: UploadItem): boolean =>
  status !== "failed" || (id !== undefined && error?.isPermanent !== true);

/** Returns undefined for the library, which has no limit. */
export const toFileLimit = ({ fileLimit, files }: UploadLinkDetails): FileLimit | undefined =>
  fileLimit ? { perPost: fileLimit.perPost, positionCount: fileLimit.remaining + files.length } : undefined;

export const countFreePositions = ({ positionCount }: FileLimit, items: readonly UploadItem[]): number =>
  Math.max(0, positionCount - items.filter(takesPosition).length);

export function describeLimit(limit: FileLimit, items: readonly UploadItem[], strings: Strings): string {
  const count = countFreePositions(limit, items);
  const text =
    [strings.noFilesLeft, strings.oneFileLeft][count] ??
    (count === limit.perPost ? strings.filesUpTo : strings.filesLeft);
  return interpolate(text, { smart_count: count, limit: limit.perPost });
}
