import { randomInt } from "node:crypto";
import fc from "fast-check";
import { isLongRun } from "./long-run.ts";

/** CI uses a fixed seed, so that only a code change can make a test fail. Long runs use a new seed each time. */
fc.configureGlobal({ seed: isLongRun ? randomInt(2 ** 31) : 1 });

export { fc };
