import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/**
 * Proves that what the documents name is there: links, paths, the tree of ARCHITECTURE.md, npm scripts,
 * that the tests of docs/threat-model.md cite the threats they are named for, and that messages and comments of
 * programs send people to documents and commands that exist.
 */

const root = join(import.meta.dirname, "..");
const ignored = /^(\.git|(.*\/)?node_modules|data|web\/dist)(\/|$)/;
const files = globSync("**/*", { cwd: root, withFileTypes: true, exclude: (entry) => ignored.test(toPath(entry)) })
  .filter((entry) => entry.isFile())
  .map(toPath);
// globSync leaves out names that begin with a dot.
files.push(...globSync("{.ci/*,.[a-z]*}", { cwd: root }).filter((path) => !ignored.test(path)));

/** Folders exist where they hold something; an empty one is not in the repository. */
const existingPaths = new Set(files.flatMap((file) => [file, ...listParents(file)]));
const topLevelNames = new Set(files.map((file) => file.split("/", 1)[0]));
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

const problems = [
  ...files.filter((file) => file.endsWith(".md")).flatMap(checkDocument),
  ...files.filter((file) => /^(src|web|test|bench|scripts|deploy)\/.*(?<!\.md)$/.test(file)).flatMap(checkMentions),
  ...files.filter((file) => file.startsWith("migrations/")).flatMap(checkMigration),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function checkDocument(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const prose = text.replaceAll(/^```.*?^```$/gms, "");
  const missing = [
    ...findLinkTargets(file, prose),
    ...findPaths(prose),
    ...findShellPaths(text),
    ...findTreePaths(text),
  ].filter((path) => !existingPaths.has(path));
  return [
    ...missing.map((path) => `${file}: ${path} does not exist`),
    ...findBrokenAnchors(file, prose).map((link) => `${file}: ${link} names no heading`),
    ...findUnknownScripts(text).map((name) => `${file}: package.json has no script ${name}`),
    ...findUncited(prose).map(([id, test]) => `${file}: ${test} does not cite [${id}]`),
  ];
}

/** Rows of a table that begin with the id of a threat and end with a test that should name it. */
function findUncited(text: string): [id: string, test: string][] {
  return [...text.matchAll(/^\| ([A-Z]\d+) \|.*\| `(test\/[^`]+)` \|$/gm)]
    .map(([, id = "", test = ""]): [string, string] => [id, test])
    .filter(([id, test]) => existingPaths.has(test) && !readFileSync(join(root, test), "utf8").includes(`[${id}]`));
}

/** The files that relative links lead to. */
function findLinkTargets(file: string, text: string): string[] {
  return findRelativeLinks(text).flatMap((link) => {
    const path = link.split("#", 1)[0];
    return path ? [resolve(file, path)] : [];
  });
}

function findBrokenAnchors(file: string, text: string): string[] {
  return findRelativeLinks(text).filter((link) => {
    const [path, anchor] = link.split("#");
    const target = path ? resolve(file, path) : file;
    if (anchor === undefined || !existingPaths.has(target)) return false;
    const headings = readFileSync(join(root, target), "utf8").matchAll(/^#+ (.+)$/gm);
    return ![...headings].some(([, heading = ""]) => toSlug(heading) === anchor);
  });
}

function findRelativeLinks(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link).filter((link) => !/^[a-z]+:/.test(link));
}

/** What stands in backticks and begins like a path of this repository; names with a gap to fill in are examples. */
function findPaths(text: string): string[] {
  return [...text.matchAll(/`([\w.@/-]+)`/g)]
    .map(([, path = ""]) => path.replace(/\/$/, ""))
    .filter((path) => (path.includes("/") ? topLevelNames.has(path.split("/", 1)[0]) : /^[A-Z]+\.md$/.test(path)))
    .filter((path) => !ignored.test(path));
}

function findUnknownScripts(text: string): string[] {
  const mentions = [...text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)];
  return mentions.map(([, name = ""]) => name).filter((name) => !scripts[name]);
}

/** Files of ours that stand in what people are told to type. */
function findShellPaths(text: string): string[] {
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
    [...block.matchAll(/(?<=^|\s)[\w.-]+\/[\w./-]+(?=\s|$)/gm)]
      .map(([path]) => path)
      .filter((path) => topLevelNames.has(path.split("/", 1)[0]) && !ignored.test(path)),
  );
}

/** Documents and commands that a program sends people to. */
function checkMentions(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [
    ...[...text.matchAll(/\b(?:docs\/[\w/-]+|[A-Z]{4,})\.md\b/g)]
      .filter(([path]) => !existingPaths.has(path))
      .map(([path]) => `${file}: ${path} does not exist`),
    ...findUnknownScripts(text).map((name) => `${file}: package.json has no script ${name}`),
  ];
}

/** Released migrations cannot change, not even their comments: the sources that they name have to stay. */
function checkMigration(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/[\w/-]+\.ts\b/g)]
    .filter(([path]) => !existingPaths.has(`src/${path}`))
    .map(([path]) => `${file}: src/${path} does not exist`);
}

/** The entries of blocks marked `tree`, each two spaces deeper than the folder it stands in. */
function findTreePaths(text: string): string[] {
  return [...text.matchAll(/^```tree\n(.*?)^```$/gms)].flatMap(([, block = ""]) => {
    const parentNames: string[] = [];
    return block.split("\n").flatMap((line) => {
      const [, indent = "", name] = /^( *)([\w.-]+)\/?(?: |$)/.exec(line) ?? [];
      if (name === undefined) return [];
      parentNames.splice(indent.length / 2, Infinity, name);
      return [parentNames.join("/")];
    });
  });
}

function resolve(file: string, path: string): string {
  return posix.normalize(posix.join(dirname(file), path)).replace(/\/$/, "");
}

function listParents(file: string): string[] {
  return file.split("/").map((_, i, parts) => parts.slice(0, i).join("/"));
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
