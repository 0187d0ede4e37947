import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";

/**
 * Entry point of the server process. Without a cache, Node strips types and compiles on every start, which is half of
 * its CPU. The folder must be as trustworthy as the code, which the shared temp folder is not. If it is not writable,
 * the server starts without a cache; NODE_COMPILE_CACHE sets another folder.
 */
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/atelier"));
const { runServer } = await import("#app/run-server.ts");
const { releaseStartupMemory } = await import("#app/release-startup-memory.ts");
await runServer();
flushCompileCache(); // now, because a process that is killed would not save it
releaseStartupMemory();
