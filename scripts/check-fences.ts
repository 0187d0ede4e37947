import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Proves that the linter holds the two import tables of ARCHITECTURE.md: every import they forbid is planted
 * and must be refused, every one they allow is planted and must pass. The plants stand in a folder of their own
 * outside the repository, under a copy of the linter's configuration.
 */

const root = join(import.meta.dirname, "..");
const aliases = Object.keys(readJson("package.json")["imports"] as object).map((alias) => alias.slice(1, -2));
const document = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
const imports = readTable("folder", "may import");
const vendors = readTable("package", "only in");

interface Plant {
  path: string;
  code: string;
  allowed: boolean;
}

const plants = [...imports.keys()].flatMap((from) => [...plantOurs(from), ...plantRoot(from), ...plantVendors(from)]);
const faults = [...(await lint(plants)), ...unfenced()];
for (const fault of faults) console.error(fault);
if (faults.length === 0) console.log(`${plants.length} planted imports: each one judged as ARCHITECTURE.md says`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** Imports of our own folders, in every spelling that reaches them. */
function plantOurs(from: string): Plant[] {
  const may = imports.get(from) ?? [];
  return aliases.flatMap((to) => {
    const allowed = may.includes(to) || may.includes("every folder");
    const typesOnly = may.includes(`types of ${to}`);
    const spellings: [string, boolean][] = [
      [`import { x } from "#${to}/x.ts"; x();`, allowed],
      [`import type { X } from "#${to}/x.ts"; export type Y = X;`, allowed || typesOnly],
      [`export { x } from "#${to}/x.ts";`, allowed],
      [`export const load = () => import("#${to}/x.ts");`, allowed],
      [`import { x } from "${relative(from, to)}"; x();`, false],
      [`import type { X } from "${relative(from, to)}"; export type Y = X;`, false],
    ];
    return spellings.map(([code, isAllowed], i) => ({ path: place(from, `to-${to}-${i}`), code, allowed: isAllowed }));
  });
}

/** Nobody reaches up for what puts the parts together. */
function plantRoot(from: string): Plant[] {
  if (from.endsWith(".ts") || from === "web") return [];
  return [...imports.keys()]
    .filter((file) => file.endsWith(".ts"))
    .map((file) => ({
      path: place(from, `to-${file}`),
      code: `import { x } from "../../${file}"; x();`,
      allowed: false,
    }));
}

/** Imports of fenced packages. `process.env` counts as one: it is a door to the outside like any other. */
function plantVendors(from: string): Plant[] {
  return [...vendors].map(([name, homes], i) => {
    const allowed = homes.includes(from);
    const code =
      name === "process.env"
        ? "export const x = process.env;"
        : `import { x } from "${name.replace("/*", "/x")}"; x();`;
    return { path: place(from, `vendor-${i}`), code, allowed };
  });
}

/** Where a file of this row would stand. The rows that are files stand for themselves, one after the other. */
function place(from: string, name: string): string {
  if (from.endsWith(".ts")) return `${name}/src/${from}`;
  return from === "web" ? `all/web/src/${name}.ts` : `all/src/${from}/inner/${name}.ts`;
}

function relative(from: string, to: string): string {
  if (from.endsWith(".ts")) return `./${to}/x.ts`;
  return from === "web" ? `../../src/${to}/x.ts` : `../../${to}/x.ts`;
}

/** Lints all plants at once and says which were judged wrongly. */
async function lint(all: readonly Plant[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "atelier-fences-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
  try {
    const config = { ...readJson(".oxlintrc.json"), options: {} };
    for (const tree of new Set(all.map(({ path }) => path.split("/", 1)[0] ?? ""))) {
      await mkdir(join(folder, tree));
      await writeFile(join(folder, tree, ".oxlintrc.json"), JSON.stringify(config));
    }
    for (const { path, code } of all) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), `${code}\n`);
    }
    const refused = await refusedFiles(folder);
    return all
      .filter(({ path, allowed }) => refused.has(path) === allowed)
      .map(({ path, code, allowed }) => `${path}: ${allowed ? "refused, but allowed" : "not refused"}: ${code}`);
  } finally {
    remove();
  }
}

async function refusedFiles(folder: string): Promise<Set<string>> {
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  const child = spawn(process.execPath, [oxlint, "--format=json", "."], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { diagnostics } = JSON.parse(await new Response(child.stdout).text()) as {
    diagnostics: { code: string; filename: string }[];
  };
  const fences = diagnostics.filter(({ code }) => /no-restricted-(imports|properties)/.test(code));
  return new Set(fences.map(({ filename }) => filename));
}

/** What nobody put into the table has no fence. */
function unfenced(): string[] {
  const names = new Set([...readdirSync(join(root, "src")), ...aliases]);
  return [...names]
    .filter((name) => !imports.has(name))
    .map((name) => `src/${name} is not in ARCHITECTURE.md's import table`);
}

/** A two-column table of ARCHITECTURE.md: the names on the left, each with the names on the right. */
function readTable(left: string, right: string): Map<string, string[]> {
  const lines = document.split("\n");
  const header = lines.findIndex((line) => cells(line).join() === `${left},${right}`);
  if (header < 0) throw new Error(`ARCHITECTURE.md has no table "${left} | ${right}"`);
  const rows = lines.slice(header + 2);
  const end = rows.findIndex((line) => !line.startsWith("|"));
  return new Map(
    rows.slice(0, end).flatMap((line) => {
      const [names = "", values = ""] = cells(line);
      return names.split(", ").map((name) => [name, values.split(", ")] as const);
    }),
  );
}

function cells(line: string): string[] {
  return line
    .replaceAll("`", "")
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, path), "utf8")) as Record<string, unknown>;
}
