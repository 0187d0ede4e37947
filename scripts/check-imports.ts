import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findLayerProblems, readDomainImports } from "./domain-layers.ts";
import { folderImports, packageOwners, rootFiles, webImports } from "../oxlint.config.ts";

/**
 * Checks that ARCHITECTURE.md repeats the import rules of `oxlint.config.ts`, that every folder has a rule, on a handful
 * of sample files that the linter enforces them, and that imports inside the domain follow its layers.
 */

const root = join(import.meta.dirname, "..");

/** One sample per kind of rule; the linter must reject exactly those with `isRejected`. */
const samples: readonly { path: string; code: string; isRejected: boolean }[] = [
  { path: "src/domain/a.ts", code: 'import { x } from "#lib/x.ts"; x();', isRejected: false },
  { path: "src/domain/b.ts", code: 'import { x } from "#db/x.ts"; x();', isRejected: true },
  { path: "src/domain/c.ts", code: 'import type { X } from "#http/x.ts"; export type Y = X;', isRejected: true },
  { path: "src/domain/posts/d.ts", code: 'import { x } from "../../db/x.ts"; x();', isRejected: true },
  { path: "src/domain/posts/e.ts", code: 'import { x } from "../platforms/x.ts"; x();', isRejected: false },
  {
    path: "src/domain/posts/u.ts",
    code: 'import { writes } from "../ports/write-stores.ts"; writes();',
    isRejected: true,
  },
  { path: "src/domain/posts/v.ts", code: 'import { x } from "../changes/x.ts"; x();', isRejected: false },
  {
    path: "src/domain/changes/w.ts",
    code: 'import { writes } from "../ports/write-stores.ts"; writes();',
    isRejected: false,
  },
  { path: "src/domain/changes/x.ts", code: 'import { x } from "#db/x.ts"; x();', isRejected: true },
  {
    path: "src/http/y.ts",
    code: 'import { writes } from "#domain/ports/write-stores.ts"; writes();',
    isRejected: true,
  },
  { path: "src/db/z.ts", code: 'import { writes } from "#domain/ports/write-stores.ts"; writes();', isRejected: false },
  { path: "src/domain/f.ts", code: "export const x = Date.now();", isRejected: true },
  { path: "src/domain/g.ts", code: 'import { x } from "node:fs"; x();', isRejected: true },
  { path: "src/http/h.ts", code: 'export const load = () => import("#db/x.ts");', isRejected: true },
  { path: "src/http/i.ts", code: 'import { x } from "#mcp/x.ts"; x();', isRejected: false },
  { path: "src/http/j.ts", code: 'import { x } from "../main.ts"; x();', isRejected: true },
  { path: "src/http/k.ts", code: 'import { x } from "kysely"; x();', isRejected: true },
  { path: "src/http/l.ts", code: "export const x = process.env;", isRejected: true },
  { path: "src/db/m.ts", code: 'import { x } from "kysely"; x();', isRejected: false },
  { path: "src/lib/n.ts", code: 'export { x } from "#domain/x.ts";', isRejected: true },
  { path: "src/config/o.ts", code: "export const x = process.env;", isRejected: false },
  { path: "web/src/p.ts", code: 'import type { X } from "#http/x.ts"; export type Y = X;', isRejected: false },
  { path: "web/src/q.ts", code: 'import { x } from "#http/x.ts"; x();', isRejected: true },
  { path: "web/src/s.ts", code: 'import { x } from "#portable/x.ts"; x();', isRejected: false },
  { path: "src/portable/t.ts", code: 'import { x } from "#lib/x.ts"; x();', isRejected: true },
  { path: "web/src/r.ts", code: 'import type { X } from "#domain/x.ts"; export type Y = X;', isRejected: true },
];

const problems = [
  ...compareTables(),
  ...findFoldersWithoutRule(),
  ...lintSamples(),
  ...findLayerProblems(readDomainImports(root)),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** ARCHITECTURE.md groups rows with the same right-hand side; the order within a cell does not matter. */
function compareTables(): string[] {
  const document = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const folders = { ...folderImports, web: webImports.map((folder) => (folder === "http" ? "types of http" : folder)) };
  const rootFileImports = Object.fromEntries(rootFiles.map((file) => [file, ["every folder"]]));
  return [
    ...compareTable("may import", readTable(document, "folder", "may import"), { ...folders, ...rootFileImports }),
    ...compareTable("only in", readTable(document, "package", "only in"), {
      ...packageOwners,
      "process.env": ["config"],
    }),
  ];
}

function compareTable(
  title: string,
  documentedRows: ReadonlyMap<string, string>,
  expectedRows: Readonly<Record<string, readonly string[]>>,
): string[] {
  const normalize = (names: readonly string[]): string => names.toSorted().join(", ") || "no other folder";
  const names = new Set([...documentedRows.keys(), ...Object.keys(expectedRows)]);
  return [...names]
    .filter((name) => documentedRows.get(name) !== (expectedRows[name] && normalize(expectedRows[name])))
    .map((name) => `ARCHITECTURE.md, "${title}": the row for ${name} differs from oxlint.config.ts`);
}

function readTable(document: string, left: string, right: string): Map<string, string> {
  const lines = document.split("\n");
  const headerIndex = lines.findIndex((line) => readCells(line).join() === `${left},${right}`);
  if (headerIndex < 0) throw new Error(`ARCHITECTURE.md has no table "${left} | ${right}"`);
  const rows = lines.slice(headerIndex + 2);
  return new Map(
    rows
      .slice(
        0,
        rows.findIndex((line) => !line.startsWith("|")),
      )
      .flatMap((line) => {
        const [names = "", values = ""] = readCells(line);
        return names.split(", ").map((name) => [name, values.split(", ").toSorted().join(", ")] as const);
      }),
  );
}

function readCells(line: string): string[] {
  return line
    .replaceAll("`", "")
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function findFoldersWithoutRule(): string[] {
  return readdirSync(join(root, "src"))
    .filter((name) => !(name in folderImports) && !rootFiles.includes(name))
    .map((name) => `src/${name} has no rule in oxlint.config.ts`);
}

function lintSamples(): string[] {
  const folder = mkdtempSync(join(tmpdir(), "atelier-imports-"));
  try {
    cpSync(join(root, "oxlint.config.ts"), join(folder, "oxlint.config.ts"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    for (const { path, code } of samples) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${code}\n`);
    }
    const rejectedPaths = findRejectedPaths(folder);
    return samples
      .filter(({ path, isRejected }) => rejectedPaths.has(path) !== isRejected)
      .map(
        ({ path, code, isRejected }) =>
          `The linter wrongly ${isRejected ? "accepts" : "rejects"} this code in ${path}: ${code}`,
      );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function findRejectedPaths(folder: string): Set<string> {
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  const { stdout, stderr } = spawnSync(process.execPath, [oxlint, "--format=json", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  if (!stdout.startsWith("{")) throw new Error(`oxlint failed: ${stdout}${stderr}`);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
  return new Set(
    diagnostics.filter(({ code }) => /no-restricted-(imports|properties)/.test(code)).map(({ filename }) => filename),
  );
}
