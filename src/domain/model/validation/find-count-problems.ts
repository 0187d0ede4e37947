import type { AssetDetail } from "../asset.ts";
import type { PostLimits } from "../platform-limits.ts";
import { describeMax } from "./find-text-problems.ts";

/** Asset kind, key in `PostLimits`, and error code if a post has too many files of the kind. */
export const fileKinds = [
  ["image", "images", "too_many_pictures"],
  ["video", "videos", "too_many_videos"],
  ["document", "documents", "too_many_documents"],
] as const;

interface CountProblem {
  code: string;
  message: string;
  max?: number;
}

/** Finds the problems with the number and kinds of the files that an account receives. */
export function findCountProblems(
  limits: PostLimits,
  assets: readonly AssetDetail[],
  hasFileChoice: boolean,
): CountProblem[] {
  const { min = 0, max } = limits.files ?? {};
  const { variesByInstance = false } = limits;
  const acceptedKinds = fileKinds.filter(
    ([kind, limitKey]) => limits[limitKey] && assets.some((asset) => asset.kind === kind),
  );
  const missingFiles = hasFileChoice
    ? `Choose at least ${formatFiles(min)} for this account.`
    : `Add at least ${formatFiles(min)}.`;
  const subject = hasFileChoice ? "This account gets" : "The post has";
  const findTooManyFiles = (code: string, label: string, count: number, maxCount = Infinity): CountProblem[] =>
    count > maxCount
      ? [{ code, message: `${subject} ${count} ${label}; ${describeMax(maxCount, variesByInstance)}.`, max: maxCount }]
      : [];
  return [
    ...(assets.length < min ? [{ code: "files_missing", message: missingFiles }] : []),
    ...fileKinds
      .filter(([kind, limitKey]) => limits[limitKey]?.min === 1 && assets.every((asset) => asset.kind !== kind))
      .map(([kind]) => ({ code: "files_missing", message: `${hasFileChoice ? "Choose" : "Add"} a ${kind}.` })),
    ...findTooManyFiles("too_many_files", "files", assets.length, max),
    ...(!limits.allowsMixedKinds && acceptedKinds.length > 1
      ? [{ code: "mixed_media", message: "The platform allows only one kind of file per post." }]
      : []),
    ...fileKinds
      // A limit for one kind that is not lower than that for all files would state the same problem again.
      .filter(([, limitKey]) => max === undefined || (limits[limitKey]?.max ?? Infinity) < max)
      .flatMap(([kind, limitKey, code]) => {
        const count = assets.filter((asset) => asset.kind === kind).length;
        return findTooManyFiles(code, limitKey, count, limits[limitKey]?.max);
      }),
  ];
}

const formatFiles = (count: number): string => `${count} ${count === 1 ? "file" : "files"}`;
