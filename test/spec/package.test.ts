import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import packageJson from "../../package.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");

test("the package contains only the files that the server needs: no keys, data, tests or local settings (P5)", () => {
  const npmArgs = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const report = JSON.parse(
    execFileSync("npm", npmArgs, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  );
  const [packageReport] = Object.values(report as Record<string, { files: { path: string }[] }>);
  const paths = packageReport?.files.map(({ path }) => path) ?? [];
  const requiredPaths = [
    "src/main.ts",
    "src/cli.ts",
    "migrations/0001-studios-and-posts.sql",
    "scripts/start.ts",
    "LICENSE",
  ];
  for (const path of requiredPaths) assert.ok(paths.includes(path), path);
  const allowedPaths =
    /^(src\/.*\.ts|migrations\/\d{4}-[a-z-]+(\.(sqlite|postgres))?\.sql|web\/dist\/.*|scripts\/(build-web\.ts|start\.ts|require-node\.js)|package\.json|README\.md|LICENSE)$/;
  assert.deepEqual(
    paths.filter(
      (path) => !allowedPaths.test(path) || /(^|\/)(\.env|data\/|secret$)|\.(pem|key|db|map|log)$/.test(path),
    ),
    [],
  );
});

test("installation runs no script of Atelier or of a dependency (P1)", () => {
  assert.match(readFileSync(join(root, ".npmrc"), "utf8"), /^ignore-scripts=true$/m);
  const hooks = ["preinstall", "install", "postinstall", "prepare", "prepack", "prepublish"];
  assert.deepEqual(
    Object.keys(packageJson.scripts).filter((name) => hooks.includes(name)),
    [],
  );
});

test("every command that users run reports a Node version that is too old (P5)", () => {
  const { start, test: tests, backup, restore, move, admin } = packageJson.scripts;
  for (const command of [start, tests, backup, restore, move, admin])
    assert.match(command, /^node (--\S+ )?--import \.\/scripts\/require-node\.js /);
  const requireNode = join(root, "scripts/require-node.js");
  const program = `Object.defineProperty(process.versions, "node", { value: "24.18.0" }); await import(${JSON.stringify(`file://${requireNode}`)})`;
  assert.throws(
    () => execFileSync(process.execPath, ["--input-type=module", "-e", program], { stdio: "pipe" }),
    (error: { status: number; stderr: Buffer }) =>
      error.status === 1 && /needs Node 24\.18\.1/.test(String(error.stderr)),
  );
});

test("every file that package.json runs exists", () => {
  for (const [name, command] of Object.entries(packageJson.scripts)) {
    for (const [path] of command.matchAll(/\b[\w/-]+\.ts\b/g))
      assert.ok(existsSync(join(root, path)), `${name}: ${path}`);
  }
});

test("every way to start the service limits the space for new objects alike", () => {
  const flag = "--max-semi-space-size=16";
  assert.ok(packageJson.scripts.start.includes(flag));
  for (const path of ["deploy/atelier.service", "deploy/Dockerfile", "docs/deploy.md", "test/support/main-process.ts"])
    assert.ok(readFileSync(join(root, path), "utf8").includes(flag), path);
});
