import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onExit } from "./at-exit.ts";

/** Creates a temporary folder. It is deleted when the process exits, unless `remove` was called earlier. */
export function createTempFolder(prefix = "atelier-test-"): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), prefix));
  const remove = () => {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    unregister();
  };
  const unregister = onExit(remove);
  return { path, remove };
}
