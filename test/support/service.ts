import { readConfig, type Config } from "#config/config.ts";
import { createService, type Service, type CreateServiceOptions } from "#app/service.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { silentLog, type TestDeps } from "./engines.ts";
import { findFreePort } from "./free-ports.ts";
import { listenLocally } from "./local-server.ts";
import { waitTurns } from "./wait-turns.ts";

export interface RunningService extends Service {
  base: string;
  deps: TestDeps;
}

export type ServiceOptions = Partial<Omit<CreateServiceOptions, "config" | "deps">> & {
  /** Environment variables that the config is read from. */
  env?: Record<string, string>;
  /** Overrides for config that the environment cannot set on loopback. */
  config?: Partial<Config>;
  base?: string;
};

/** Starts the whole service on a free port, with the test's database and clock. */
export async function startService(deps: Deps, options: ServiceOptions = {}): Promise<RunningService> {
  const { env = {}, config: configOverrides, base = await findFreeBaseUrl(), ...serviceOptions } = options;
  const config = { ...readConfig({ BASE_URL: base, PORT: new URL(base).port, ...env }), ...configOverrides };
  const { uploadPage, limits, signInAllow } = config;
  // The deps of a test always come from `createDeps`.
  const serviceDeps: TestDeps = { ...(deps as TestDeps), baseUrl: config.base, uploadPage, limits, signInAllow };
  const service = createService({
    config,
    deps: serviceDeps,
    secrets: ["a test secret that is long enough"],
    clients: [],
    enterprise: { issuers: [], fetchUrl: async () => new Response(null, { status: 404 }) },
    platforms: [],
    sandboxStore: serviceDeps.sandboxStore,
    webFiles: { find: () => undefined },
    fetchDocument: async () => new Response(null, { status: 404 }),
    dependencies: [],
    log: silentLog,
    ...serviceOptions,
  });
  const { nodeServer: server } = service.httpServer;
  const { close } = await listenLocally(server, config.port);
  return {
    ...service,
    base,
    deps: { ...serviceDeps, ...service.deps },
    async close() {
      await close();
      await waitTurns(5); // until HTTP clients in this process notice that their keep-alive connections are closed
    },
  };
}

/** A base URL with a free port; the config needs the URL before the server listens. */
export const findFreeBaseUrl = async (): Promise<string> => `http://localhost:${await findFreePort()}`;
