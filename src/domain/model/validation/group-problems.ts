import type { Size } from "../renditions/plan-layout.ts";

/** A problem of one file. */
export interface FileProblem {
  level: "rejected" | "converted" | "warning";
  code: string;
  file: { id: string; filename: string };
  /** Completes a sentence that starts with the file name: “is too large”. */
  one: string;
  /** The same for several files with this problem: “are too large”. */
  many: string;
  /** The size of a converted image. */
  size?: Size;
}

export interface GroupedProblem extends Pick<FileProblem, "level" | "code"> {
  message: string;
  /** The file, if the problem concerns one. */
  assetId?: string;
  /** The files, if the problem concerns several. */
  assetIds?: string[];
  /** The size to which images are converted, if it is the same for all of them. */
  size?: Size;
}

const maxNames = 3;

/** Merges the same problem of several files into one message. */
export function groupProblems(problems: readonly FileProblem[]): GroupedProblem[] {
  const groups = Map.groupBy(problems, ({ level, code, many }) => `${level} ${code} ${many}`);
  return [...groups.values()].map((group) => {
    const [first] = group;
    if (!first) throw new Error("a group has at least one problem");
    const { level, code, file, one, many, size } = first;
    const hasSameSize = group.every(
      (problem) => problem.size?.width === size?.width && problem.size?.height === size?.height,
    );
    const common = { level, code, ...(size && hasSameSize ? { size } : {}) };
    if (group.length === 1) return { ...common, message: `${file.filename} ${one}.`, assetId: file.id };
    // A text such as “will be …” fits several files, too, and `one` has more detail than `many`.
    const canUseOne = group.every((problem) => problem.one === one && one.startsWith("will "));
    const message = `${listNames(group)} ${canUseOne ? one : many}.`;
    return { ...common, message, assetIds: group.map((problem) => problem.file.id) };
  });
}

function listNames(group: readonly FileProblem[]): string {
  const names = group.map(({ file }) => file.filename);
  if (names.length <= maxNames) return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return `${names.slice(0, maxNames - 1).join(", ")} and ${names.length - maxNames + 1} more files`;
}
