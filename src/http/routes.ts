import type { OAuthServer } from "#auth/oauth-server.ts";
import type { SignIn } from "#auth/sign-in.ts";
import type { McpEndpoint } from "#mcp/endpoint.ts";
import { createCalendarFeedRoute } from "./calendar-feed-route.ts";
import { createConnectRoutes, type ClientDocument } from "./pages/connect-routes.ts";
import { createConsentRoutes } from "./pages/consent-routes.ts";
import { createFileRoutes, createThumbnailRoute, type FileRouteOptions } from "./files/file-routes.ts";
import {
  createMetricsHandler,
  createReadyzHandler,
  handleHealthz,
  type Dependency,
  type Metrics,
} from "./health-routes.ts";
import { createMediaRoute, type MediaRouteOptions } from "./files/media-route.ts";
import { createOAuthRoutes } from "./oauth-routes.ts";
import { createJoinRoutes } from "./pages/join-routes.ts";
import { createLinkRoute } from "./pages/link-routes.ts";
import { createLoginRoutes, createSignOutRoute } from "./pages/login-routes.ts";
import type { PageContext } from "./pages/page-handler.ts";
import { createConnectionCheckRoute } from "./connection-check-route.ts";
import { createAppsChallengeRoute, createDiscoveryRoutes } from "./mcp-documents.ts";
import { createMcpRoute } from "./mcp-route.ts";
import type { Handler, Route } from "./server.ts";
import type { UploadApi } from "./uploads/api.ts";
import type { ReviewApi } from "./reviews/api.ts";
import { createReviewRoutes } from "./reviews/routes.ts";
import { createUnsubscribeRoute } from "./pages/unsubscribe-route.ts";
import { createUploadRoutes } from "./uploads/routes.ts";
import { createWebAppHandler, type StaticFiles } from "./static-files.ts";

export interface RouteOptions extends PageContext {
  signIn: SignIn;
  oauth: OAuthServer;
  clientDocument: ClientDocument;
  /** The web app's JSON API. */
  api: Handler;
  uploadApi: UploadApi;
  reviewApi: ReviewApi;
  mcp: McpEndpoint;
  media: MediaRouteOptions;
  /** The signed URLs of the disk store; undefined if another store is used. */
  files: FileRouteOptions | undefined;
  /** Routes of the dev issuer and the sandbox platform; empty in production. */
  dev: readonly Route[];
  webFiles: StaticFiles;
  metrics: Metrics;
  metricsToken: string | undefined;
  /** The text that proves to OpenAI who operates the server; undefined if it was not submitted. */
  appsChallenge: string | undefined;
  dependencies: readonly Dependency[];
}

/** Returns every route of the server, in matching order. The server passes in whether it is draining. */
export function createRoutes(options: RouteOptions): (isDraining: () => boolean) => readonly Route[] {
  const { deps, sessions, mcp, webFiles } = options;
  const base = deps.baseUrl;
  return (isDraining) => [
    { path: "/healthz", originRule: "any", allowsAnyHost: true, handle: handleHealthz },
    {
      path: "/readyz",
      originRule: "any",
      allowsAnyHost: true,
      handle: createReadyzHandler(options.dependencies, isDraining),
    },
    {
      path: "/metrics",
      originRule: "any",
      allowsAnyHost: true,
      handle: createMetricsHandler(options.metrics, options.metricsToken),
    },
    ...createOAuthRoutes(options, options.oauth),
    createMcpRoute(mcp, base),
    createMcpRoute(mcp, base, "/mcp/"), // users may add a trailing slash; the resource identifier stays /mcp
    ...createDiscoveryRoutes(base, mcp.serverInfo),
    ...(options.appsChallenge === undefined ? [] : [createAppsChallengeRoute(options.appsChallenge)]),
    createConnectionCheckRoute(),
    ...createLoginRoutes(options, options.signIn),
    createLinkRoute(options, options.signIn),
    ...createJoinRoutes(options),
    createSignOutRoute(options),
    ...createConsentRoutes(options, options.oauth.consent),
    ...createConnectRoutes(options, options.clientDocument),
    ...options.dev,
    createThumbnailRoute(deps),
    createMediaRoute(options.media),
    ...createReviewRoutes(deps, options.reviewApi, webFiles, options.media),
    createCalendarFeedRoute(options),
    createUnsubscribeRoute(options),
    ...(options.files ? createFileRoutes(options.files) : []),
    ...createUploadRoutes(deps, options.uploadApi, webFiles),
    { path: "/api/*", originRule: "own", logsRest: true, handle: options.api },
    { path: "/*", originRule: "own", logsRest: true, handle: createWebAppHandler(webFiles, deps, sessions) },
  ];
}
