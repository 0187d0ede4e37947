import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig, type Config } from "#config/config.ts";
import { createService, type Service, type CreateServiceOptions } from "#app/service.ts";
import type { Deps } from "#domain/deps.ts";
import { silentLog } from "./engines.ts";
import { findFreePort } from "./ports.ts";

export interface RunningService extends Service {
  base: string;
  deps: Deps;
}

export type ServiceOptions = Partial<Omit<CreateServiceOptions, "config" | "deps">> & {
  /** Settings, by their variables. */
  env?: Record<string, string>;
  /** Settings no variable of a loopback service can give. */
  config?: Partial<Config>;
  base?: string;
};

/** The whole service over a test's own database and clock, on a port of its own. */
export async function startService(deps: Deps, options: ServiceOptions = {}): Promise<RunningService> {
  const { env = {}, config: settings, base = await findFreeBaseUrl(), ...parts } = options;
  const config = { ...readConfig({ BASE_URL: base, PORT: new URL(base).port, ...env }), ...settings };
  const { uploadPage, limits, signInAllow } = config;
  const serviceDeps: Deps = { ...deps, base, uploadPage, limits, signInAllow };
  const service = createService({
    config,
    deps: serviceDeps,
    secrets: ["a secret of this test, long enough"],
    clients: [],
    platforms: [],
    webFiles: { find: () => undefined },
    fetchDocument: async () => new Response(null, { status: 404 }),
    dependencies: [],
    log: silentLog,
    ...parts,
  });
  const { nodeServer: server } = service.httpServer;
  server.listen(config.port, "127.0.0.1");
  await once(server, "listening");
  return {
    ...service,
    base,
    deps: { ...serviceDeps, platforms: service.platforms },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await sleep(20); // until clients in this process have noticed that their kept connections are gone
    },
  };
}

/** An address on this machine that nobody listens at yet: the base names the port, so the port comes first. */
export const findFreeBaseUrl = async (): Promise<string> => `http://localhost:${await findFreePort()}`;
