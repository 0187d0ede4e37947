/**
 * Words that are not standard technical English or are in the "not" column of docs/glossary.md, with replacements.
 * Patterns ignore case and match whole words, including those in camelCase names. They do not match in snake_case names,
 * because stored values use them. `scripts/check-docs.ts` applies the list.
 */
const bannedWords: readonly [pattern: string, replacement: string][] = [
  ["whoever|somebody|nobody|anybody|everybody", "name the actor: user, caller, client, operator"],
  ["(is|are|was|be|been) told", "gets an error, receives, returns"],
  ["in vain", "name the effect, such as: without a result"],
  ["anew", "again"],
  ["begun", "started"],
  ["goes on|go on|going on", "continue, resume, retry"],
  ["for ever", "forever"],
  ["look-ups?", "lookup"],
  ["mend(s|ed|ing)?", "fix, repair"],
  ["mind:", "Warning:"],
  ["patience", "timeout"],
  ["overtaken", "conflict"],
  ["doom(s|ed|ing)?", "mark for deletion"],
  ["poured", "temp file"],
  ["seats?", "membership, position"],
  ["(on its|on their) way", "uploading"],
  ["put away", "trash"],
  ["(take|takes|taken|took) off", "remove"],
  ["films?", "video"],
  ["(?<![</]|npm run )pictures?(?![/.]\\w)", "image"],
  ["judg(e|es|ed|ing)|verdicts?", "check, content check"],
  ["(?<!connections? ((was|were|is|are) )?)refus(e|es|ed|ing|als?)", "reject"],
  ["the door|the house", "HTTP entry point; codebase"],
  ["(both|2025|2026) wires?", "protocol version"],
  ["clothes", "no metaphors"],
];

/** Exceptions: stored values, fields of platform APIs, keys of Uppy's language packs, and a Unix user. */
export const allowedWords: readonly [word: string, files: RegExp][] = [
  [
    "refused",
    /^(src\/domain\/(model\/activity|steps\/confirm-stored-file)|test\/integration\/activity\.test|web\/src\/activity\/labels)\.ts$/,
  ],
  ["doomed", /^src\/db\/(stray-files|columns)\.ts$/],
  ["picture", /^(src\/connectors\/(facebook|linkedin)\/connect|test\/support\/platform-examples)\.ts$/],
  ["Picture", /^web\/src\/upload\/(camera|drop-zone|strings)\.ts$/],
  ["nobody", /^test\/support\/postgres-cluster\.ts$/],
];

const patterns = bannedWords.map(([pattern, replacement]) => ({
  regExp: new RegExp(`(?<!\\w)(?:${pattern})(?!\\w)`, "gi"),
  replacement,
}));

export interface BannedWord {
  line: number;
  word: string;
  replacement: string;
}

export function findBannedWords(text: string): BannedWord[] {
  return text.split("\n").flatMap((line, index) => {
    const words = line.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ");
    return patterns.flatMap(({ regExp, replacement }) =>
      [...words.matchAll(regExp)].map(([word]) => ({ line: index + 1, word, replacement })),
    );
  });
}
