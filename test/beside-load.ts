import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { onExit } from "./support/at-exit.ts";

/**
 * Runs a command beside three busy processes per core, and ends them with it:
 *   node test/beside-load.ts npm test -- --without-programs
 */

const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error("Name the command to run: node test/beside-load.ts npm test");

const busyProcesses = Array.from({ length: availableParallelism() * 3 }, () =>
  spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" }),
);
onExit(() => {
  for (const busyProcess of busyProcesses) busyProcess.kill("SIGKILL");
});
const startedAt = performance.now();
const child = spawn(command, args, { stdio: "inherit" });
onExit(() => child.kill());
const [code] = (await once(child, "exit")) as [number | null];
const minutes = (performance.now() - startedAt) / 60_000;
console.log(`${minutes.toFixed(1)} min beside ${busyProcesses.length} busy processes`);
process.exit(code ?? 1);
