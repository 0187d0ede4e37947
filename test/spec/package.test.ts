import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import packageJson from "../../package.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");

test("a package holds what runs, and no key, data, test or setting of this machine (P5)", () => {
  const npm = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const said = JSON.parse(
    execFileSync("npm", npm, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  );
  const [packed] = Object.values(said as Record<string, { files: { path: string }[] }>);
  const paths = packed?.files.map(({ path }) => path) ?? [];
  const needed = ["src/main.ts", "src/cli.ts", "migrations/0001-studios-and-posts.sql", "scripts/start.ts", "LICENSE"];
  for (const path of needed) assert.ok(paths.includes(path), path);
  const wanted =
    /^(src\/.*\.ts|migrations\/\d{4}-[a-z-]+\.sql|web\/dist\/.*|scripts\/(build-web\.ts|start\.ts|require-node\.js)|package\.json|README\.md|LICENSE)$/;
  assert.deepEqual(
    paths.filter((path) => !wanted.test(path) || /(^|\/)(\.env|data\/|secret$)|\.(pem|key|db|map|log)$/.test(path)),
    [],
  );
});

test("nothing is run when packages are installed, neither of ours nor of others (P1)", () => {
  assert.match(readFileSync(join(root, ".npmrc"), "utf8"), /^ignore-scripts=true$/m);
  const hooks = ["preinstall", "install", "postinstall", "prepare", "prepack", "prepublish"];
  assert.deepEqual(
    Object.keys(packageJson.scripts).filter((name) => hooks.includes(name)),
    [],
  );
});

test("a Node that is too old is refused in words, by every command that people run (P5)", () => {
  const { start, test: tests, backup, restore, move, admin } = packageJson.scripts;
  for (const command of [start, tests, backup, restore, move, admin])
    assert.match(command, /^node --import \.\/scripts\/require-node\.js /);
  const old = join(root, "scripts/require-node.js");
  const pretend = `Object.defineProperty(process.versions, "node", { value: "24.18.0" }); await import(${JSON.stringify(`file://${old}`)})`;
  assert.throws(
    () => execFileSync(process.execPath, ["--input-type=module", "-e", pretend], { stdio: "pipe" }),
    (error: { status: number; stderr: Buffer }) =>
      error.status === 1 && /needs Node 24\.18\.1/.test(String(error.stderr)),
  );
});

test("what package.json runs is there", () => {
  for (const [name, command] of Object.entries(packageJson.scripts)) {
    for (const [path] of command.matchAll(/\b[\w/-]+\.ts\b/g))
      assert.ok(existsSync(join(root, path)), `${name}: ${path}`);
  }
});
