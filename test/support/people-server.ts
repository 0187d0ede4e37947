import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createPeople } from "#auth/people.ts";
import type { IdentityProvider } from "#auth/relying-party.ts";
import type { Deps } from "#domain/deps.ts";
import { createMetrics } from "#http/metrics.ts";
import { renderErrorPage } from "#http/page.ts";
import { createRoutes } from "#http/routes.ts";
import { createEdge } from "#http/server.ts";
import { createLog, type Log } from "#lib/log.ts";
import { createSigner } from "#lib/signed-token.ts";

export interface PeopleServer {
  base: string;
  deps: Deps;
  close(): Promise<void>;
}

export interface PeopleServerOptions {
  deps: Deps;
  base?: string;
  identityProviders?: readonly IdentityProvider[];
  signInAllow?: readonly string[];
  log?: Log;
  secrets?: [string, ...string[]];
}

/** An address on this machine that nobody listens at yet. */
export async function freeBase(): Promise<string> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return `http://localhost:${port}`;
}

/** The service as people meet it, at its real edge, over the stores of a test. */
export async function startPeopleServer(options: PeopleServerOptions): Promise<PeopleServer> {
  const { identityProviders = [], signInAllow = ["*"], log = createLog("silent") } = options;
  const base = options.base ?? (await freeBase());
  const deps = { ...options.deps, base };
  const signer = createSigner(options.secrets ?? ["a secret of this test, long enough"], deps.clock);
  const people = createPeople({ base, identityProviders, signInAllow, deps, signer, log, renderErrorPage });
  const metrics = createMetrics();
  const edge = createEdge({
    routes: createRoutes({
      base,
      metrics,
      metricsToken: undefined,
      needs: [],
      people: { ...people, base, loginUrl: `${base}/login`, deps, signer },
      webFiles: { find: () => undefined },
    }),
    addresses: { base, uploadPage: base, loopback: true, mcpOrigins: [] },
    metrics,
    newId: deps.newId,
    log,
  });
  edge.server.listen(Number(new URL(base).port), "127.0.0.1");
  await once(edge.server, "listening");
  return {
    base,
    deps,
    async close() {
      const closed = once(edge.server, "close");
      edge.server.close();
      edge.server.closeAllConnections();
      await closed;
      await sleep(20); // until clients in this process have noticed that their kept connections are gone
    },
  };
}
