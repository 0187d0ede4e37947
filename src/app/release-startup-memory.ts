import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Returns the memory that only the start needed to the operating system, about 40 MB. While modules load, V8 grows its
 * space for new objects to 64 MB, and an idle process would not shrink it.
 */
export function releaseStartupMemory(): void {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as (options: object) => void;
  setFlagsFromString("--no-expose-gc");
  collectGarbage({ type: "major", execution: "sync", flavor: "last-resort" });
}
