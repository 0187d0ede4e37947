import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import packageJson from "../package.json" with { type: "json" };
import type { Config } from "./config.ts";
import { createAuthenticate } from "#auth/authenticate.ts";
import { createOAuthServer } from "#auth/oauth-server.ts";
import { readOperatorClients } from "#auth/operator-clients.ts";
import { createPeople } from "#auth/people.ts";
import { openDatabase } from "#db/open.ts";
import { createStores } from "#db/stores.ts";
import { createPurge } from "#domain/access/purge-expired.ts";
import { countHit, unlimited, type RateLimit } from "#domain/access/rate-limit.ts";
import type { Deps } from "#domain/deps.ts";
import { withLease } from "#domain/lease.ts";
import { createApi } from "#http/api/app.ts";
import { mountApi } from "#http/api/mount.ts";
import { addressKey } from "#http/client-address.ts";
import { drain } from "#http/drain.ts";
import { createMetrics } from "#http/metrics.ts";
import { renderErrorPage } from "#http/page.ts";
import { createRoutes } from "#http/routes.ts";
import { createEdge, type Edge } from "#http/server.ts";
import { loadStaticFiles } from "#http/static-files.ts";
import { createMcpEndpoint } from "#mcp/endpoint.ts";
import { createConformanceFixtures } from "#mcp/fixtures/conformance.ts";
import { createCallLimit, noLimit } from "#mcp/rate-limit.ts";
import { tools } from "#mcp/tools.ts";
import { minutes, seconds, systemClock, type Clock } from "#lib/clock.ts";
import { every, type Repeated } from "#lib/every.ts";
import { createIds } from "#lib/ids.ts";
import type { Log } from "#lib/log.ts";
import { createPublicFetch } from "#lib/public-fetch.ts";
import { keepSecret } from "#lib/secret-file.ts";
import { createSigner } from "#lib/signed-token.ts";

export interface Service {
  edge: Edge;
  deps: Deps;
  /** Finishes what was accepted, then lets go of everything. */
  close(): Promise<void>;
}

/** What lies outside our walls. Tests bring their own. */
export interface Outside {
  clock?: Clock;
  /** Fetches the document a client's id points at. */
  fetchDocument?: (url: string) => Promise<Response>;
}

const webFolder = join(import.meta.dirname, "../web/dist");

/** Composition root: the only file that knows everything. */
export async function createService(config: Config, log: Log, outside: Outside = {}): Promise<Service> {
  const clock = outside.clock ?? systemClock;
  const clients = await readOperatorClients(config.oauthClientsFile);
  const webFiles = await loadStaticFiles(webFolder);
  const database = await openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir, log });
  // Made after the database: a folder that holds a secret once held a database too.
  const secrets = config.secrets ?? [await keepSecret(config.dataDir)];
  const deps: Deps = {
    ...createStores(database),
    ...(config.rateLimits ? {} : { rateLimits: unlimited }),
    clock,
    newId: createIds(clock),
    newSecret: () => randomBytes(32).toString("base64url"),
    base: config.base,
    limits: config.limits,
  };
  const { base, loginUrl } = config;
  const signer = createSigner(secrets, clock);
  const limit = (name: RateLimit, req: IncomingMessage) => countHit(deps, name, addressKey(req, config.trustProxy));

  const people = createPeople({ ...config, deps, signer, log, renderErrorPage });
  const findUser = people.sessions.find;
  const oauth = createOAuthServer({
    deps,
    base,
    secrets,
    clients,
    loginUrl,
    isSignedIn: async (cookies) => (await findUser(cookies)) !== undefined,
    fetchDocument: outside.fetchDocument ?? createPublicFetch({ timeoutMs: seconds(4), maxBytes: 10 * 1024 }),
    limitFetch: (req) => limit("clientDocument", req),
    renderError: renderErrorPage,
    log,
  });

  const mcp = createMcpEndpoint({
    deps,
    authenticate: createAuthenticate(deps, log),
    tools,
    signer,
    log,
    countCall: config.rateLimits ? createCallLimit(clock) : noLimit,
    version: packageJson.version,
    extension: config.conformanceFixtures ? createConformanceFixtures(deps.newSecret) : undefined,
  });

  const metrics = createMetrics();
  const edge = createEdge({
    routes: createRoutes({
      base,
      metrics,
      metricsToken: config.metricsToken,
      needs: [{ name: "database", check: () => database.ping() }],
      people: { ...people, base, loginUrl, deps, signer, limit },
      oauth: { oauth, base, limit },
      mcp,
      consent: { consent: oauth.consent, deps, signer, base, loginUrl, findUser },
      api: mountApi(createApi({ deps, sessions: people.sessions, log })),
      webFiles,
    }),
    addresses: config,
    metrics,
    newId: deps.newId,
    log,
  });
  const purging = purge(deps, log);
  return {
    edge,
    deps,
    async close() {
      mcp.close();
      await Promise.all([drain(edge, log), purging.stop()]);
      await database.close();
    },
  };
}

/** Each minute one of all instances takes away what has expired. */
function purge(deps: Deps, log: Log): Repeated {
  const purgeExpired = createPurge(deps);
  const holder = deps.newSecret();
  const work = async (): Promise<void> => {
    const end = deps.clock() + seconds(20);
    await purgeExpired({ pause: () => sleep(20), isOver: () => deps.clock() >= end });
  };
  return every(minutes(1), "purge", () => withLease(deps, "purge", holder, minutes(3), work), log);
}
