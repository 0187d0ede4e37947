import type { IncomingMessage } from "node:http";
import packageJson from "../../package.json" with { type: "json" };
import type { DiskFileStorage } from "./open-file-storage.ts";
import type { EnterpriseAccess } from "#auth/assertion-grant.ts";
import { createAuthenticator } from "#auth/authenticate.ts";
import { createOAuthServer } from "#auth/oauth-server.ts";
import { listLinkable } from "#auth/enterprise-issuers.ts";
import type { readOperatorClients } from "#auth/operator-clients.ts";
import { createSessions, createSignIn } from "#auth/sign-in.ts";
import type { Config } from "#config/config.ts";
import type { SandboxStore } from "#db/sandbox.ts";
import { callLimits, createCallLimiter, unlimitedCalls } from "#domain/access/call-limiter.ts";
import { createCallRecorder } from "#domain/access/call-counts.ts";
import { enforceIpRateLimit, type RateLimitName, unlimitedRateLimitStore } from "#domain/steps/rate-limit.ts";
import { hasAsset } from "#domain/assets/get-asset.ts";
import type { JobDeps } from "#domain/ports/deps.ts";
import { createApi, type Api } from "#http/api/api.ts";
import { mountApi } from "#http/api/context.ts";
import { getClientIpKey } from "#http/client-ip.ts";
import { drain } from "#http/drain.ts";
import { createMetrics, type Dependency } from "#http/health-routes.ts";
import { renderErrorPage } from "#http/pages/page.ts";
import { createMediaTokens } from "#http/files/media-tokens.ts";
import { createRoutes } from "#http/routes.ts";
import { createHttpServer, type HttpServer } from "#http/server.ts";
import { chatAppPath, type StaticFiles } from "#http/static-files.ts";
import { createReviewApi } from "#http/reviews/api.ts";
import { createUploadApi, type UploadApi } from "#http/uploads/api.ts";
import { seconds } from "#lib/clock.ts";
import type { Log } from "#lib/log.ts";
import type { WorkerLoop } from "#lib/worker-loop.ts";
import { createMcpEndpoint } from "#mcp/endpoint.ts";
import type { NotifiedFeed } from "#domain/subscriptions/check-loop.ts";
import { createPageFeed } from "#domain/subscriptions/page-feed.ts";
import { createConformanceFixtures } from "#dev/conformance/fixtures.ts";
import { createDevServices } from "#dev/dev-services.ts";
import { type EventReader, startFanOut } from "#domain/jobs/fan-out.ts";
import { notifyUsers } from "#domain/jobs/notify.ts";
import { readMailStatus } from "#domain/jobs/mail/mail-status.ts";
import { startMailSender } from "#domain/jobs/mail/send-mails.ts";
import { type PublishingWorker, startPublishingWorker } from "#domain/jobs/publishing/worker.ts";
import { createDeliveryQueue } from "#domain/jobs/webhooks/queue-deliveries.ts";
import { startWebhookSender } from "#domain/jobs/webhooks/sender.ts";
import { createPublisher } from "#connectors/publisher.ts";
import { tools } from "#mcp/tool-list.ts";
import { buildClientDocument, deriveClientKeys } from "#connectors/atproto/client.ts";
import { bluesky } from "#connectors/bluesky/connect.ts";
import { createPlatforms, type PlatformSetup } from "#connectors/connectors.ts";

export interface Service {
  httpServer: HttpServer;
  api: Api;
  uploadApi: UploadApi;
  deps: JobDeps;
  /** Starts publishing; call it once the server listens. */
  startWorker(): void;
  stopWorker(): Promise<void>;
  /** Starts passing events to their readers, and sending webhooks. */
  startFanOut(): void;
  /** Passes new events to their readers now. */
  wakeFanOut(): void;
  /** Saves how many calls each grant made. */
  flushCallCounts(): Promise<void>;
  /** Shares the call counts of users and upload links with all instances. */
  syncCallLimits(): Promise<void>;
  /** Receives the notifications of the database, and announces changes on open streams. */
  changeFeeds: readonly NotifiedFeed[];
  /** Drains accepted requests, then releases all resources. */
  close(): Promise<void>;
}

export type Secrets = NonNullable<Config["secrets"]>;

export interface CreateServiceOptions {
  config: Config;
  deps: Omit<JobDeps, "platforms" | "publisher" | "wakeWorker" | "wakeWebhookSender" | "wakeMailSender">;
  /** The platforms that can be connected; development adds the sandbox. */
  platforms: readonly PlatformSetup[];
  sandboxStore: SandboxStore;
  /** Absent if files are stored in S3. */
  disk?: DiskFileStorage | undefined;
  secrets: Secrets;
  clients: ReturnType<typeof readOperatorClients>;
  enterprise: EnterpriseAccess;
  webFiles: StaticFiles;
  /** Fetches a client metadata document from the client's id, which is its URL. */
  fetchDocument: (url: string) => Promise<Response>;
  /** The external services that the readiness check probes. */
  dependencies: readonly Dependency[];
  log: Log;
  /** Shorter in tests. */
  stallTimeoutMs?: number;
}

/** A client that makes almost no progress on a file for this long is disconnected. */
const defaultStallTimeoutMs = seconds(30);

/** Composes the service. Tests call it with their own database and clock. */
export function createService(options: CreateServiceOptions): Service {
  const { config, disk, secrets, clients, enterprise, webFiles, fetchDocument, dependencies, log } = options;
  const { stallTimeoutMs = defaultStallTimeoutMs } = options;
  const { base, loginUrl } = config;
  const { signer, clock } = options.deps;

  // Dependencies of the domain.
  const dev =
    config.identityProviders.length === 0
      ? createDevServices({ ...options.deps, log, secret: secrets[0] }, options.sandboxStore)
      : undefined;
  const platformSetups = [...(dev ? [dev.platform] : []), ...options.platforms];
  const platforms = createPlatforms(base, platformSetups, log);
  const mediaTokens = createMediaTokens(signer, base, clock);
  const publisher = createPublisher({
    setups: platformSetups,
    createMediaUrl: mediaTokens.createUrl,
    openFile: (key, range) => options.deps.files.read(key, range),
    sleep: options.deps.sleep,
  });
  let worker: PublishingWorker | undefined;
  let webhookSender: WorkerLoop | undefined;
  let mailSender: WorkerLoop | undefined;
  const deps: JobDeps = {
    ...options.deps,
    platforms,
    publisher,
    wakeWorker: () => worker?.wake(),
    wakeWebhookSender: () => webhookSender?.wake(),
    wakeMailSender: () => mailSender?.wake(),
    ...(config.areRateLimitsEnabled ? {} : { rateLimits: unlimitedRateLimitStore }),
  };

  // Rate limits.
  const limitRate = (name: RateLimitName, req: IncomingMessage) =>
    enforceIpRateLimit(deps, name, (bits) => getClientIpKey(req, config.trustedProxies, bits));
  const limitCalls = (name: keyof typeof callLimits) =>
    config.areRateLimitsEnabled ? createCallLimiter(deps, name, callLimits[name]) : unlimitedCalls;
  const messageLimiter = limitCalls("messages");
  const toolCallLimiter = limitCalls("calls");
  const webCallLimiter = limitCalls("web");
  const linkCallLimiter = limitCalls("uploads");
  const reviewCallLimiter = limitCalls("reviews");
  const callRecorder = createCallRecorder(deps);

  // Authentication: users by session, AI clients by token.
  const sessions = createSessions({ deps, base });
  const providers = dev ? [dev.identityProvider] : config.identityProviders;
  const signIn = createSignIn(deps, providers, listLinkable(enterprise.issuers), sessions, log);
  const oauth = createOAuthServer({
    deps,
    secrets,
    clients,
    enterprise,
    loginUrl,
    isSignedIn: async (cookies) => (await sessions.find(cookies)) !== undefined,
    clientDocuments: config.areClientDocumentsEnabled
      ? { fetch: fetchDocument, limitFetch: (req) => limitRate("clientDocument", req) }
      : undefined,
    renderError: renderErrorPage,
    log,
  });

  // APIs: tools, web app, upload page.
  const mcp = createMcpEndpoint({
    deps,
    authenticate: createAuthenticator(deps, log),
    tools,
    log,
    checkMessageLimit: messageLimiter.check,
    checkCallLimit: toolCallLimiter.check,
    recordCall: callRecorder.record,
    version: packageJson.version,
    chatAppHtml: webFiles.find(chatAppPath)?.content.toString(),
    hasEnterpriseAccess: enterprise.issuers.length > 0,
    extension: config.hasConformanceFixtures ? createConformanceFixtures(deps.newSecret) : undefined,
  });
  const pageFeed = createPageFeed(deps, log);
  const api = createApi({
    deps,
    sessions,
    pageFeed,
    streamSlots: mcp.streamSlots,
    checkCallLimit: webCallLimiter.check,
    log,
    isDevelopment: dev !== undefined,
    canLinkAccounts: signIn.linkable.length > 0,
    stallTimeoutMs,
  });
  const uploadApi = createUploadApi(deps, linkCallLimiter.check, log);
  const reviewApi = createReviewApi(deps, reviewCallLimiter.check, log);

  /** What happens because of activity, apart from announcing it on open pages. */
  const eventReaders: EventReader[] = [
    createDeliveryQueue(deps),
    { read: (tx, events) => notifyUsers(deps, tx, events), wake: deps.wakeMailSender },
  ];
  let eventFanOut: WorkerLoop | undefined;

  // HTTP server and routes.
  const clientDocument = buildClientDocument(base, bluesky, deriveClientKeys(secrets));
  const metrics = createMetrics(log, deps.mailer && (() => readMailStatus(deps)));
  const httpServer = createHttpServer({
    routes: createRoutes({
      deps,
      sessions,
      loginUrl,
      limitRate,
      signIn,
      oauth,
      clientDocument,
      api: mountApi(api),
      uploadApi,
      reviewApi,
      mcp,
      media: { files: deps.files, tokens: mediaTokens, clock, stallTimeoutMs },
      files: disk && {
        ...disk,
        hasAsset: (key) => hasAsset(deps, key),
        origins: [base, config.uploadPage],
        clock,
        stallTimeoutMs,
      },
      dev: dev?.routes ?? [],
      webFiles,
      metrics,
      metricsToken: config.metricsToken,
      appsChallenge: config.appsChallenge,
      dependencies,
    }),
    urls: config,
    metrics,
    newId: deps.newId,
    log,
    trustedProxies: config.trustedProxies,
  });
  return {
    httpServer,
    api,
    uploadApi,
    deps,
    startWorker() {
      worker = startPublishingWorker(deps, {
        concurrency: config.publishConcurrency,
        onError: (error, publicationId) => {
          log.error({ err: error, publicationId }, "publishing failed; will retry");
        },
      });
    },
    stopWorker: async () => worker?.stop(),
    startFanOut() {
      eventFanOut = startFanOut(deps, {
        readers: eventReaders,
        onError: (error) => log.error({ err: error }, "passing on events failed; will retry"),
      });
      webhookSender = startWebhookSender(deps, {
        onError: (error) => log.error({ err: error }, "sending webhooks failed; will retry"),
      });
      const { mailer } = deps;
      if (mailer)
        mailSender = startMailSender(
          { ...deps, mailer },
          { onError: (error) => log.error({ err: error }, "sending emails failed; will retry") },
        );
    },
    wakeFanOut: () => eventFanOut?.wake(),
    changeFeeds: [mcp.changeFeed, pageFeed],
    flushCallCounts: callRecorder.flush,
    syncCallLimits: async () =>
      void (await Promise.all(
        [messageLimiter, toolCallLimiter, webCallLimiter, linkCallLimiter, reviewCallLimiter].map((limiter) =>
          limiter.sync(),
        ),
      )),
    async close() {
      const taskDrain = mcp.tasks.drain();
      const workerStop = Promise.all([worker?.stop(), eventFanOut?.stop(), webhookSender?.stop(), mailSender?.stop()]);
      // The worker may need the sandbox, which this server runs.
      await drain(httpServer, log, {
        work: Promise.all([workerStop, taskDrain]),
        endStreams: () => {
          mcp.streamSlots.close();
          // Ordinary images are done by now. Requests that wait for others would wait until the timeout.
          deps.media.close();
        },
      });
      await mcp.tasks.stopAll();
      await workerStop; // also after the drain’s timeout: a commit that was sent needs its result stored
    },
  };
}
