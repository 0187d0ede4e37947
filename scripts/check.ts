import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";

/** `npm run check`: all static checks, in parallel. */
const checks = [
  ["format", "oxfmt --check ."],
  ["lint", "oxlint"],
  ["types", "tsc --project ."],
  ["types of web/", "tsc --project web"],
  ["unused code", "knip"],
  ["import rules", "node scripts/check-imports.ts"],
  ["lockfile", "node scripts/check-lockfile.ts"],
  ["documents", "node scripts/check-docs.ts"],
  ["tools document", "node scripts/tools-doc.ts --check"],
] as const;

const root = join(import.meta.dirname, "..");
const env = { ...process.env, PATH: [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter) };

const outcomes = await Promise.all(checks.map(([name, command]) => run(name, command)));
for (const { name, command, output } of outcomes.filter(({ hasPassed }) => !hasPassed)) {
  console.error(`\n${name}: ${command}\n${output.trim()}`);
}
process.exitCode = outcomes.every(({ hasPassed }) => hasPassed) ? 0 : 1;

interface Outcome {
  name: string;
  command: string;
  hasPassed: boolean;
  output: string;
}

async function run(name: string, command: string): Promise<Outcome> {
  const startedAt = performance.now();
  const { code, output } = await execute(command);
  const hasPassed = code === 0;
  console.log(`${hasPassed ? "ok  " : "FAIL"} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  return { name, command, hasPassed, output };
}

function execute(command: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: root, env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (output += text.toString()));
    child.once("error", (error) => resolve({ code: 1, output: error.message }));
    child.once("close", (code) => resolve({ code, output }));
  });
}
