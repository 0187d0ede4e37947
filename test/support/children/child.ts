import { once } from "node:events";
import { writeSync } from "node:fs";

/** For the programs that `startHelper` starts. */

export const readOptions = <T>(): T => JSON.parse(process.argv[2] ?? "") as T;

/** Synchronous, because the process may be killed. */
export const printLine = (line: string): void => void writeSync(1, `${line}\n`);

/** Waits until the test lets the program continue. */
export const waitForTest = (): Promise<unknown> => once(process.stdin, "data");

/** Waits until the test lets the program start its work. */
export async function waitForStart(): Promise<void> {
  printLine("loaded");
  await waitForTest();
}
