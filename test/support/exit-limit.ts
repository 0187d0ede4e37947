import { after } from "node:test";
import { isMainThread } from "node:worker_threads";
import { listProcessTree, signalAll } from "./process-tree.ts";

/*
 * `npm test` imports this file into every process that runs test files. Handles that tests leave open, such as a server
 * whose setup failed halfway, would keep the process running forever; instead it fails and names them. The runner also
 * waits for child processes, because they have the same output.
 */
const maxSecondsAfterTests = 10;

// Worker threads and the process that starts the test files import this file, too.
if (isMainThread && process.env["NODE_TEST_CONTEXT"] !== undefined)
  after(() => {
    setTimeout(failWithOpenHandles, maxSecondsAfterTests * 1000).unref();
    // Runs after the exit handlers that tests registered, which stop their own processes.
    process.on("exit", () => signalAll(listProcessTree(process.pid).slice(1), "SIGKILL"));
  });

function failWithOpenHandles(): void {
  // Standard output and standard error are two of the pipes.
  const handles = process.getActiveResourcesInfo().join(", ");
  console.error(`still running ${maxSecondsAfterTests} s after its last test, because of open handles: ${handles}`);
  process.exit(1);
}
