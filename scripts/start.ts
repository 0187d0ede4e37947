import { buildWeb } from "./build-web.ts";

try {
  await buildWeb();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
// In this same process, so that a signal to it reaches the service.
await import("../src/main.ts");
