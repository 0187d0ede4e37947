import { join } from "node:path";
import { startChildProgram, type ChildProgram } from "./child-program.ts";

const cliPath = join(import.meta.dirname, "../../src/cli.ts");

/** Starts an operator command in a separate process, as npm does. */
export function startCommand(args: readonly string[], env: Record<string, string>): ChildProgram {
  return startChildProgram([cliPath, ...args], { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "", ...env });
}

export async function runCommand(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number | null; output: string; stdout: string }> {
  const command = startCommand(args, env);
  const code = await command.exited;
  return { code, output: command.getOutput(), stdout: command.getStdout() };
}
