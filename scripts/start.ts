import { buildWeb } from "./build-web.ts";

try {
  await buildWeb();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
// Imported instead of spawned, so that signals reach the service.
await import("../src/main.ts");
