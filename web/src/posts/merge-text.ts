import { diff3Merge, diffIndices } from "node-diff3";

/** Merged lines, or lines that both sides changed differently. */
export type MergePart = { lines: string[] } | ConflictPart;
export interface ConflictPart {
  mine: string[];
  theirs: string[];
}

export const isConflict = (part: MergePart): part is ConflictPart => "mine" in part;

/** Three-way merge by line; `base` is the common ancestor. */
export function mergeText(base: string, mine: string, theirs: string): MergePart[] {
  return diff3Merge(mine.split("\n"), base.split("\n"), theirs.split("\n")).map(({ ok = [], conflict }) =>
    conflict ? { mine: conflict.a, theirs: conflict.b } : { lines: ok },
  );
}

/**
 * Returns the position of the caret after a merge. The caret stays in its line when other lines change, so that a merge
 * does not disturb a user who is typing.
 */
export function moveCaret(before: string, after: string, caret: number): number {
  const [linesBefore, linesAfter] = [before.split("\n"), after.split("\n")];
  const linesUpToCaret = before.slice(0, caret).split("\n");
  let line = linesUpToCaret.length - 1;
  let column = linesUpToCaret.at(-1)?.length ?? 0;
  let addedLineCount = 0;
  for (const { buffer1, buffer2 } of diffIndices(linesBefore, linesAfter)) {
    const [start, length] = buffer1;
    if (start > line) break;
    if (line < start + length) {
      // The caret's own line changed.
      line = start;
      addedLineCount = buffer2[0] - start;
      column = Math.min(column, linesAfter[line + addedLineCount]?.length ?? 0);
      break;
    }
    addedLineCount += buffer2[1] - length;
  }
  const offset = linesAfter.slice(0, line + addedLineCount).reduce((sum, { length }) => sum + length + 1, 0);
  return Math.min(offset + column, after.length);
}
