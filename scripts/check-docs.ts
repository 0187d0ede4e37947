import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { allowedWords, findBannedWords } from "./banned-words.ts";

/**
 * Checks the documents:
 * - the links, paths, npm scripts and tree entries that they name exist;
 * - each test file that docs/threat-model.md lists for a threat cites the id of the threat;
 * - documents, commands and sources that code and migrations mention exist;
 * - no text uses a word of scripts/banned-words.ts.
 */

/** Files and folders whose words are checked. */
const wordCheckedPaths = [
  ".ci/run",
  ".npmrc",
  "AGENTS.md",
  "ARCHITECTURE.md",
  "bench",
  "CHANGELOG.md",
  "deploy",
  "docs",
  "README.md",
  "scripts",
  "src",
  "test",
  "web",
];
/**
 * The list of banned words, released migrations, generated files, images, and the third-party servers in bench/peers
 * that benchmarks compare us with.
 */
const uncheckedFiles =
  /^(scripts\/banned-words\.ts|migrations\/.*|bench\/peers\/.*|.*package-lock\.json|.*\.(svg|webp))$/;

const root = join(import.meta.dirname, "..");
const ignoredPaths = /^(\.git|(.*\/)?node_modules|data|build|web\/dist)(\/|$)/;
const files = globSync("**/*", { cwd: root, withFileTypes: true, exclude: (entry) => ignoredPaths.test(toPath(entry)) })
  .filter((entry) => entry.isFile())
  .map(toPath);
// globSync skips names that start with a dot.
files.push(...globSync("{.ci/*,.[a-z]*}", { cwd: root }).filter((path) => !ignoredPaths.test(path)));

/** Every file, and every folder that contains one: git does not store empty folders. */
const existingPaths = new Set(files.flatMap((file) => [file, ...listParents(file)]));
const topLevelNames = new Set(files.map((file) => file.split("/", 1)[0]));
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

const problems = [
  ...files.filter((file) => file.endsWith(".md")).flatMap(checkDocument),
  ...files.filter((file) => /^(src|web|test|bench|scripts|deploy)\/.*(?<!\.md)$/.test(file)).flatMap(checkMentions),
  ...files.filter((file) => file.startsWith("migrations/")).flatMap(checkMigration),
  ...files.filter(hasCheckedWords).flatMap(checkWords),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function checkDocument(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const prose = text.replaceAll(/^```.*?^```$/gms, "");
  const paths = [
    ...findLinkedPaths(file, prose),
    ...findQuotedPaths(prose),
    ...findCommandPaths(text),
    ...findTreePaths(text),
  ];
  return [
    ...paths.filter((path) => !existingPaths.has(path)).map((path) => `${file}: ${path} does not exist`),
    ...findBrokenAnchors(file, prose).map((link) => `${file}: ${link} matches no heading`),
    ...findUnknownScripts(text).map((name) => `${file}: package.json has no script ${name}`),
    ...findMissingCitations(prose).map(([id, test]) => `${file}: ${test} does not cite ${id}`),
  ];
}

/** Returns each threat id at the start of a table row with each test file at its end that does not cite the id. */
function findMissingCitations(text: string): [id: string, test: string][] {
  return [...text.matchAll(/^\| ([A-Z]\d+(?:, [A-Z]\d+)*) \|.*\| `(test\/[^`]+(?:`, `test\/[^`]+)*)` \|$/gm)]
    .flatMap(([, ids = "", tests = ""]) =>
      ids.split(", ").flatMap((id) => tests.split("`, `").map((test): [string, string] => [id, test])),
    )
    .filter(([id, test]) => existingPaths.has(test) && !hasCitation(readFileSync(join(root, test), "utf8"), id));
}

/** A citation is an id in a list in parentheses, such as a requirement and a threat: `(ASSET-10, A1)`. */
function hasCitation(text: string, id: string): boolean {
  return new RegExp(`\\((?:[\\w-]+, )*${id}(?:, [\\w-]+)*\\)`).test(text);
}

function findLinkedPaths(file: string, text: string): string[] {
  return findRelativeLinks(text).flatMap((link) => {
    const path = link.split("#", 1)[0];
    return path ? [resolveLink(file, path)] : [];
  });
}

function findBrokenAnchors(file: string, text: string): string[] {
  return findRelativeLinks(text).filter((link) => {
    const [path, anchor] = link.split("#");
    const target = path ? resolveLink(file, path) : file;
    if (anchor === undefined || !existingPaths.has(target)) return false;
    const headings = readFileSync(join(root, target), "utf8").matchAll(/^#+ (.+)$/gm);
    return ![...headings].some(([, heading = ""]) => toSlug(heading) === anchor);
  });
}

function findRelativeLinks(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link).filter((link) => !/^[a-z]+:/.test(link));
}

/** Returns the repository paths in backticks. Paths with a placeholder, such as `<id>`, are skipped. */
function findQuotedPaths(text: string): string[] {
  return [...text.matchAll(/`([\w.@/-]+)`/g)]
    .map(([, path = ""]) => path.replace(/\/$/, ""))
    .filter((path) => (path.includes("/") ? topLevelNames.has(path.split("/", 1)[0]) : /^[A-Z]+\.md$/.test(path)))
    .filter((path) => !ignoredPaths.test(path));
}

function findUnknownScripts(text: string): string[] {
  const mentions = [...text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)];
  return mentions.map(([, name = ""]) => name).filter((name) => !scripts[name]);
}

/** Returns the paths of this repository in shell examples. */
function findCommandPaths(text: string): string[] {
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
    [...block.matchAll(/(?<=^|\s)[\w.-]+\/[\w./-]+(?=\s|$)/gm)]
      .map(([path]) => path)
      .filter((path) => topLevelNames.has(path.split("/", 1)[0]) && !ignoredPaths.test(path)),
  );
}

/** Checks that the documents and npm scripts that code mentions in messages and comments exist. */
function checkMentions(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [
    ...[...text.matchAll(/(?<!skill:\/\/\S*)\b(?:docs\/[\w/-]+|[A-Z]{4,})\.md\b/g)]
      .filter(([path]) => !existingPaths.has(path))
      .map(([path]) => `${file}: ${path} does not exist`),
    ...findUnknownScripts(text).map((name) => `${file}: package.json has no script ${name}`),
  ];
}

/** Released migrations, including their comments, never change, so the source files that they mention must stay. */
function checkMigration(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/[\w/-]+\.ts\b/g)]
    .filter(([path]) => !existingPaths.has(`src/${path}`))
    .map(([path]) => `${file}: src/${path} does not exist`);
}

function hasCheckedWords(file: string): boolean {
  const isBelow = (path: string): boolean => file === path || file.startsWith(`${path}/`);
  return !uncheckedFiles.test(file) && wordCheckedPaths.some(isBelow);
}

function checkWords(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  // The last column of the glossary lists the words that we do not use.
  const checkedText = file === "docs/glossary.md" ? text.replaceAll(/\|[^|]*\|$/gm, "|") : text;
  return findBannedWords(checkedText)
    .filter(({ word }) => !allowedWords.some(([allowedWord, paths]) => word === allowedWord && paths.test(file)))
    .map(({ line, word, replacement }) => `${file}:${line}: "${word}" is banned; use: ${replacement}`);
}

/** Returns the paths in `tree` blocks, where each level is indented by two more spaces. */
function findTreePaths(text: string): string[] {
  return [...text.matchAll(/^```tree\n(.*?)^```$/gms)].flatMap(([, block = ""]) => {
    const segments: string[] = [];
    return block.split("\n").flatMap((line) => {
      const [, indent = "", name] = /^( *)([\w.-]+)\/?(?: |$)/.exec(line) ?? [];
      if (name === undefined) return [];
      segments.splice(indent.length / 2, Infinity, name);
      return [segments.join("/")];
    });
  });
}

function resolveLink(file: string, path: string): string {
  return posix.normalize(posix.join(dirname(file), path)).replace(/\/$/, "");
}

function listParents(file: string): string[] {
  return file.split("/").map((_, i, segments) => segments.slice(0, i).join("/"));
}

function toSlug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

function toPath(entry: { parentPath: string; name: string }): string {
  return join(entry.parentPath, entry.name)
    .slice(root.length + 1)
    .replaceAll("\\", "/");
}
