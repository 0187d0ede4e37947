import { readFileSync, globSync } from "node:fs";
import { join } from "node:path";
import { createContext, Script } from "node:vm";
import { parseSync } from "vite";

export interface RegexpLiteral {
  file: string;
  pattern: string;
  flags: string;
}

const root = join(import.meta.dirname, "../..");

/** Finds every regular expression literal in these files, and the files that build one from a string. */
export function findRegexps(glob: string): { literals: RegexpLiteral[]; dynamicFiles: string[] } {
  const literals: RegexpLiteral[] = [];
  const dynamicFiles: string[] = [];
  for (const file of globSync(glob, { cwd: root }).toSorted()) {
    const { program } = parseSync(file, readFileSync(join(root, file), "utf8"));
    walk(program, (node) => {
      const { type, regex, callee } = node as { type?: string; regex?: RegexpLiteral; callee?: { name?: string } };
      if (type === "Literal" && regex) literals.push({ file, pattern: regex.pattern, flags: regex.flags });
      if ((type === "NewExpression" || type === "CallExpression") && callee?.name === "RegExp") dynamicFiles.push(file);
    });
  }
  return { literals, dynamicFiles };
}

function walk(node: unknown, visit: (node: object) => void): void {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) visit(node);
  for (const child of Object.values(node)) walk(child, visit);
}

const commonUnits = ["a", "0", " ", "-", ".", "/", "=", "\n", '"', "é"];
const endings = ["", "\u0001", "!"];

/**
 * Creates long inputs that provoke backtracking: characters and words of the pattern, and one example per character
 * class, repeated alone and in pairs, with an ending that does not match. A heuristic, not a proof: it finds nested
 * repetitions, and adjacent repetitions that match the same characters.
 */
export function* createHardInputs({ pattern }: RegexpLiteral, length: number): Generator<string> {
  const words =
    pattern
      .replaceAll(/\\([dDwWsSbB]|[pP]\{[^}]*\}|u\{?[\da-fA-F]+\}?|x[\da-f]{2})/g, " ")
      .match(/[^\s()[\]{}*+?|^$\\]+/g) ?? [];
  const classes = [
    ["\\d", "0"],
    ["\\w", "a"],
    ["\\s", " "],
    ["\\p{Cf}", "\u200b"],
    ["\\p{M}", "\u0301"],
    ["\\p{Cc}", "\u0002"],
  ] as const;
  const fragments = [
    ...new Set([
      ...words.flatMap((word) => [word, ...word.split("")]),
      ...classes.filter(([name]) => pattern.includes(name)).map(([, example]) => example),
    ]),
  ].slice(0, 16);
  const units = new Set([
    ...commonUnits,
    ...fragments,
    ...fragments.slice(0, 6).flatMap((first) => fragments.slice(0, 6).map((second) => first + second)),
  ]);
  for (const unit of units)
    for (const start of ["", "a", ...words.slice(0, 1)])
      for (const end of endings) yield start + unit.repeat(Math.ceil(length / unit.length)).slice(0, length) + end;
}

const sandbox = createContext({});
const matchScript = new Script("for (const text of texts) text.replace(expression, '')");

const maxAttempts = 8;

/** Returns how long replacements over the texts take in total; `limitMs` if every attempt timed out. */
export function measureMatchMs({ pattern, flags }: RegexpLiteral, texts: readonly string[], limitMs: number): number {
  Object.assign(sandbox, { texts, expression: new RegExp(pattern, flags) });
  const measure = (): number => {
    const startedAt = performance.now();
    try {
      matchScript.runInContext(sandbox, { timeout: limitMs });
    } catch {
      return limitMs;
    }
    return performance.now() - startedAt;
  };
  // A busy machine can only make an attempt slower, so one attempt within the limit is enough.
  for (let attempt = 1; attempt < maxAttempts; attempt++) {
    const ms = measure();
    if (ms < limitMs) return ms;
  }
  return measure();
}
