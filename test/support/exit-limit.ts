import { after } from "node:test";
import { isMainThread } from "node:worker_threads";

/*
 * `npm test` imports this file into the process of every test file. Handles that tests leave open, such as a server
 * whose setup failed halfway, would keep the process running forever; instead it fails and names them.
 */
const maxSecondsAfterTests = 10;

// Worker threads and the process that starts the test files import this file, too.
if (isMainThread && process.env["NODE_TEST_CONTEXT"] !== undefined)
  after(() => void setTimeout(failWithOpenHandles, maxSecondsAfterTests * 1000).unref());

function failWithOpenHandles(): void {
  // The runner reads results from standard output, and errors from standard error: both are pipes.
  const handles = process.getActiveResourcesInfo().join(", ");
  console.error(`still running ${maxSecondsAfterTests} s after its last test, because of open handles: ${handles}`);
  process.exit(1);
}
