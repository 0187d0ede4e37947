import fc from "fast-check";
import { long } from "./long.ts";

/** CI tries the same cases each time, so that a red run is the doing of a change; the long form draws new ones. */
fc.configureGlobal({ seed: long ? Date.now() : 1 });

export { fc };
