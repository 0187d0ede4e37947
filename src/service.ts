import type { IncomingMessage } from "node:http";
import packageJson from "../package.json" with { type: "json" };
import type { DiskFiles } from "./open-files.ts";
import { createAuthenticate } from "#auth/authenticate.ts";
import { createOAuthServer } from "#auth/oauth-server.ts";
import type { readOperatorClients } from "#auth/operator-clients.ts";
import { createSessions } from "#auth/sessions.ts";
import { createSignIn } from "#auth/sign-in.ts";
import type { Config } from "#config/config.ts";
import { callLimits, createCallLimit, noLimit } from "#domain/access/call-limit.ts";
import { createCallTally } from "#domain/access/call-tally.ts";
import { countHit, networkBits, unlimited, type RateLimit } from "#domain/access/rate-limit.ts";
import { hasAsset } from "#domain/assets/has-asset.ts";
import type { Deps } from "#domain/deps.ts";
import type { Platforms } from "#domain/platforms/ports.ts";
import { createApi, type Api } from "#http/api/app.ts";
import { mountApi } from "#http/api/mount.ts";
import { addressKey } from "#http/client-address.ts";
import { drain } from "#http/drain.ts";
import type { Need } from "#http/health.ts";
import { createMetrics } from "#http/metrics.ts";
import { renderErrorPage } from "#http/pages/page.ts";
import { createRoutes } from "#http/routes.ts";
import { createEdge, type Edge } from "#http/server.ts";
import type { StaticFiles } from "#http/static-files.ts";
import { createUploadApi, type UploadApi } from "#http/uploads/api.ts";
import type { Log } from "#lib/log.ts";
import { createMcpEndpoint } from "#mcp/endpoint.ts";
import { createConformanceFixtures } from "#dev/conformance/fixtures.ts";
import { createDevServices } from "#dev/dev-services.ts";
import { tools } from "#mcp/tools.ts";
import { createPlatforms, type PlatformSetup } from "#platforms/platforms.ts";

export interface Service {
  edge: Edge;
  api: Api;
  uploadApi: UploadApi;
  platforms: Platforms;
  /** Writes down how many calls each approval made. */
  settleCalls(): Promise<void>;
  /** Shares with all instances how many calls each user and each link made. */
  settleLimits(): Promise<void>;
  /** Finishes what was accepted, then lets go of everything. */
  close(): Promise<void>;
}

export type Secrets = NonNullable<Config["secrets"]>;

export interface ServiceParts {
  config: Config;
  deps: Omit<Deps, "platforms">;
  /** What can be connected; the sandbox of a development instance comes beside them. */
  platforms: readonly PlatformSetup[];
  /** Absent where files lie elsewhere. */
  disk?: DiskFiles | undefined;
  secrets: Secrets;
  clients: ReturnType<typeof readOperatorClients>;
  webFiles: StaticFiles;
  /** Fetches the document that a client's id points at. */
  fetchDocument: (url: string) => Promise<Response>;
  needs: readonly Need[];
  log: Log;
}

/** Who is given what. Tests put the same service together over a database and a clock of their own. */
export function assembleService(parts: ServiceParts): Service {
  const { config, disk, secrets, clients, webFiles, fetchDocument, needs, log } = parts;
  const { base, loginUrl } = config;
  const { signer, clock } = parts.deps;

  // What a verb may use.
  const dev = config.identityProviders.length === 0 ? createDevServices({ base, clock, log }) : undefined;
  const platforms = createPlatforms(base, [...(dev ? [dev.platform] : []), ...parts.platforms], log);
  const deps: Deps = { ...parts.deps, platforms, ...(config.rateLimits ? {} : { rateLimits: unlimited }) };

  // How often one may ask.
  const limit = (name: RateLimit, req: IncomingMessage) =>
    countHit(deps, name, addressKey(req, config.trustProxy, networkBits(name)));
  const toolCalls = createCallLimit(deps, "calls", callLimits.calls);
  const webCalls = createCallLimit(deps, "web", callLimits.web);
  const linkCalls = createCallLimit(deps, "uploads", callLimits.uploads);
  const calls = createCallTally(deps);

  // Who comes in: people by sessions, clients by tokens.
  const sessions = createSessions({ deps, base });
  const providers = dev ? [dev.identityProvider] : config.identityProviders;
  const signIn = createSignIn({ deps, base, providers, sessions, signer, log });
  const oauth = createOAuthServer({
    deps,
    base,
    secrets,
    clients,
    loginUrl,
    isSignedIn: async (cookies) => (await sessions.find(cookies)) !== undefined,
    clientDocuments: config.clientDocuments
      ? { fetch: fetchDocument, limitFetch: (req) => limit("clientDocument", req) }
      : undefined,
    renderError: renderErrorPage,
    log,
  });

  // What they come in to: tools, the web app, the upload page.
  const mcp = createMcpEndpoint({
    deps,
    authenticate: createAuthenticate(deps, log),
    tools,
    signer,
    log,
    countCall: config.rateLimits ? toolCalls.count : noLimit,
    noteCall: calls.note,
    version: packageJson.version,
    extension: config.conformanceFixtures ? createConformanceFixtures(deps.newSecret) : undefined,
  });
  const api = createApi({
    deps,
    sessions,
    countCall: config.rateLimits ? webCalls.count : noLimit,
    log,
    development: dev !== undefined,
  });
  const uploadApi = createUploadApi({ deps, countCall: config.rateLimits ? linkCalls.count : noLimit, log });

  // The door, and every address behind it.
  const metrics = createMetrics(log);
  const edge = createEdge({
    routes: createRoutes({
      base,
      metrics,
      metricsToken: config.metricsToken,
      needs,
      people: { sessions, signIn, base, loginUrl, deps, signer, limit },
      oauth: { oauth, base, limit },
      consent: { consent: oauth.consent, deps, signer, base, loginUrl, findUser: sessions.find },
      connect: { base, loginUrl, deps, sessions, signer, limit },
      dev: dev?.routes ?? [],
      mcp,
      api: mountApi(api),
      thumbnails: deps,
      uploads: { deps, api: uploadApi, webFiles },
      files: disk && {
        ...disk,
        hasAsset: (key) => hasAsset(deps, key),
        origins: [base, config.uploadPage].map((address) => new URL(address).origin),
        clock,
      },
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
    uploadApi,
    platforms,
    settleCalls: calls.settle,
    settleLimits: async () => void (await Promise.all([toolCalls.settle(), webCalls.settle(), linkCalls.settle()])),
    async close() {
      mcp.close();
      await drain(edge, log);
    },
  };
}
