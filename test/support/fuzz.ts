import fc from "fast-check";
import { isLongRun } from "./long-run.ts";

/** CI tries the same cases each time, so that a red run is the doing of a change; the long form draws new ones. */
fc.configureGlobal({ seed: isLongRun ? Date.now() : 1 });

export { fc };
