/** The name that is most similar to an unknown one: by the words that they share, then by edit distance. */
export function suggestTool(unknownName: string, names: readonly string[]): string | undefined {
  const words = splitWords(unknownName.slice(0, 40));
  const getScore = (name: string): number =>
    splitWords(name).filter((word) => words.some((other) => isSimilar(word, other))).length * 100 -
    countEdits(name, words.join("_"));
  const scores = new Map(names.map((name) => [name, getScore(name)]));
  return names.toSorted((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0))[0];
}

const splitWords = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);

/** Singular and plural are the same word; a typo is tolerated. */
const isSimilar = (a: string, b: string): boolean =>
  a.replace(/s$/, "") === b.replace(/s$/, "") || (a.length > 3 && countEdits(a, b) <= 1);

/** Levenshtein distance. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const nextRow = [i];
    for (let j = 1; j <= b.length; j++)
      nextRow[j] = Math.min(
        (row[j] ?? 0) + 1,
        (nextRow[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    row = nextRow;
  }
  return row[b.length] ?? 0;
}
