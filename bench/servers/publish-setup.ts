import type { JobDeps } from "#domain/ports/deps.ts";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlatforms } from "#connectors/connectors.ts";
import { createPublisher } from "#connectors/publisher.ts";
import { createSandboxSetup } from "#dev/sandbox-setup.ts";
import { openDeps } from "./setup.ts";

/** Adds the sandbox platform at `origin`, which is a minimal server in the benchmark's process. */
export function withSandbox(deps: JobDeps, origin: string): JobDeps {
  const setups = [createSandboxSetup({ origin, app: { clientId: "atelier", clientSecret: "not used" } })];
  return {
    ...deps,
    platforms: createPlatforms(deps.baseUrl, setups),
    publisher: createPublisher({
      setups,
      createMediaUrl: () => "",
      openFile: async () => Readable.from([]),
      sleep: (ms) => sleep(ms),
    }),
  };
}

export async function openPublishingDeps(): Promise<{ deps: JobDeps; databaseUrl: string | undefined }> {
  const { deps } = await openDeps();
  const databaseUrl = process.env["BENCH_DATABASE_URL"];
  return {
    deps: withSandbox(deps, process.env["BENCH_PLATFORM"] ?? ""),
    databaseUrl: databaseUrl === "" ? undefined : databaseUrl,
  };
}
