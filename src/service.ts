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
import { createApi, type Api } from "#http/api/app.ts";
import { mountApi } from "#http/api/mount.ts";
import { addressKey } from "#http/client-address.ts";
import { drain } from "#http/drain.ts";
import type { Need } from "#http/health.ts";
import { createMetrics } from "#http/metrics.ts";
import { renderErrorPage } from "#http/page.ts";
import { createRoutes } from "#http/routes.ts";
import { createEdge, type Edge } from "#http/server.ts";
import { loadStaticFiles, type StaticFiles } from "#http/static-files.ts";
import { createMcpEndpoint } from "#mcp/endpoint.ts";
import { createConformanceFixtures } from "#mcp/fixtures/conformance.ts";
import { createCallLimit, noLimit } from "#mcp/rate-limit.ts";
import { tools } from "#mcp/tools.ts";
import { minutes, seconds, systemClock } from "#lib/clock.ts";
import { every, type Repeated } from "#lib/every.ts";
import { createIds } from "#lib/ids.ts";
import type { Log } from "#lib/log.ts";
import { createPublicFetch } from "#lib/public-fetch.ts";
import { keepSecret } from "#lib/secret-file.ts";
import { createSigner } from "#lib/signed-token.ts";

export interface Service {
  edge: Edge;
  api: Api;
  /** Finishes what was accepted, then lets go of everything. */
  close(): Promise<void>;
}

const webFolder = join(import.meta.dirname, "../web/dist");

/** The service as it runs: its database opened, its secret found, everything checked. Nothing listens yet. */
export async function openService(config: Config, log: Log): Promise<Service> {
  const clients = await readOperatorClients(config.oauthClientsFile);
  const webFiles = await loadStaticFiles(webFolder);
  const database = await openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir, log });
  // Made after the database: a folder that holds a secret once held a database too.
  const secrets: Secrets = config.secrets ?? [await keepSecret(config.dataDir)];
  const deps: Deps = {
    ...createStores(database),
    clock: systemClock,
    newId: createIds(systemClock),
    newSecret: () => randomBytes(32).toString("base64url"),
    base: config.base,
    limits: config.limits,
  };
  const fetchDocument = createPublicFetch({ timeoutMs: seconds(4), maxBytes: 10 * 1024 });
  const needs = [{ name: "database", check: () => database.ping() }];
  const service = assembleService({ config, deps, secrets, clients, webFiles, fetchDocument, needs, log });
  const purging = purge(deps, log);
  return {
    ...service,
    async close() {
      await Promise.all([service.close(), purging.stop()]);
      await database.close();
    },
  };
}

type Secrets = NonNullable<Config["secrets"]>;

export interface ServiceParts {
  config: Config;
  deps: Deps;
  secrets: Secrets;
  clients: Awaited<ReturnType<typeof readOperatorClients>>;
  webFiles: StaticFiles;
  /** Fetches the document that a client's id points at. */
  fetchDocument: (url: string) => Promise<Response>;
  needs: readonly Need[];
  log: Log;
}

/** Composition root: who is given what. Tests put the same service together over a database and a clock of their own. */
export function assembleService(parts: ServiceParts): Service {
  const { config, secrets, clients, webFiles, fetchDocument, needs, log } = parts;
  const { base, loginUrl } = config;
  const deps: Deps = config.rateLimits ? parts.deps : { ...parts.deps, rateLimits: unlimited };
  const signer = createSigner(secrets, deps.clock);
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
    fetchDocument,
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
    countCall: config.rateLimits ? createCallLimit(deps.clock) : noLimit,
    version: packageJson.version,
    extension: config.conformanceFixtures ? createConformanceFixtures(deps.newSecret) : undefined,
  });
  const api = createApi({
    deps,
    sessions: people.sessions,
    log,
    development: config.identityProviders.length === 0,
  });

  const metrics = createMetrics();
  const edge = createEdge({
    routes: createRoutes({
      base,
      metrics,
      metricsToken: config.metricsToken,
      needs,
      people: { ...people, base, loginUrl, deps, signer, limit },
      oauth: { oauth, base, limit },
      consent: { consent: oauth.consent, deps, signer, base, loginUrl, findUser },
      mcp,
      api: mountApi(api),
      webFiles,
    }),
    addresses: config,
    metrics,
    newId: deps.newId,
    log,
  });
  return {
    edge,
    api,
    async close() {
      mcp.close();
      await drain(edge, log);
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
