import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Entry point of the server process. Without a cache, Node strips types and compiles on every start, which is half of
 * its CPU. The folder must be as trustworthy as the code, which the shared temp folder is not. If it is not writable,
 * the server starts without a cache; NODE_COMPILE_CACHE sets another folder.
 */
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/atelier"));
const { runServer } = await import("#app/run-server.ts");
await runServer();
flushCompileCache(); // now, because a process that is killed would not save it
// Later, because the first requests would wait for it.
setTimeout(releaseStartupMemory, 1000).unref();

/**
 * Gives about 40 MB that only the startup needed back to the operating system. While modules load, V8 grows its space
 * for new objects, and an idle process would not shrink it.
 */
function releaseStartupMemory(): void {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as (options: object) => void;
  setFlagsFromString("--no-expose-gc");
  collectGarbage({ type: "major", execution: "sync", flavor: "last-resort" });
}
