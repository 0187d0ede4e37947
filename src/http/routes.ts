import type { McpEndpoint } from "#mcp/endpoint.ts";
import { createConnectRoutes, type ConnectRouteOptions } from "./pages/connect-routes.ts";
import { createConsentRoutes, type ConsentRouteOptions } from "./pages/consent-routes.ts";
import {
  createFileRoutes,
  createThumbnailRoute,
  type FileRouteOptions,
  type ThumbnailRouteDeps,
} from "./files/file-routes.ts";
import {
  createMetricsHandler,
  createReadyzHandler,
  handleHealthz,
  type Dependency,
  type Metrics,
} from "./health-routes.ts";
import { createMediaRoute, type MediaRouteOptions } from "./files/media-route.ts";
import { createOAuthRoutes, type OAuthRouteOptions } from "./oauth-routes.ts";
import { createSessionRoutes, type SessionRouteOptions } from "./session-routes.ts";
import { createServerCardRoute } from "./mcp-documents.ts";
import { createMcpRoute } from "./mcp-route.ts";
import type { Handler, Route } from "./server.ts";
import { createUploadRoutes, type UploadRouteOptions } from "./uploads/routes.ts";
import { createWebAppHandler, type StaticFiles } from "./static-files.ts";

export interface RouteOptions {
  base: string;
  /** The web app's JSON API. */
  api: Handler;
  metrics: Metrics;
  metricsToken: string | undefined;
  dependencies: readonly Dependency[];
  webFiles: StaticFiles;
  session: SessionRouteOptions;
  oauth: OAuthRouteOptions;
  consent: ConsentRouteOptions;
  connect: ConnectRouteOptions;
  /** Routes of the dev issuer and the sandbox platform; empty in production. */
  dev: readonly Route[];
  mcp: McpEndpoint;
  thumbnails: ThumbnailRouteDeps;
  media: MediaRouteOptions;
  uploads: UploadRouteOptions;
  /** The signed URLs of the disk store; undefined if another store is used. */
  files: FileRouteOptions | undefined;
}

/** Returns every route of the server, in matching order. The server passes in whether it is draining. */
export function createRoutes(options: RouteOptions): (isDraining: () => boolean) => readonly Route[] {
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
    ...createOAuthRoutes(options.oauth),
    createMcpRoute(options.mcp, options.base),
    createMcpRoute(options.mcp, options.base, "/mcp/"), // users may add a trailing slash; the resource identifier stays /mcp
    createServerCardRoute(options.base, options.mcp.serverInfo),
    ...createSessionRoutes(options.session),
    ...createConsentRoutes(options.consent),
    ...createConnectRoutes(options.connect),
    ...options.dev,
    createThumbnailRoute(options.thumbnails),
    createMediaRoute(options.media),
    ...(options.files ? createFileRoutes(options.files) : []),
    ...createUploadRoutes(options.uploads),
    { path: "/api/*", originRule: "own", logsRest: true, handle: options.api },
    {
      path: "/*",
      originRule: "own",
      logsRest: true,
      handle: createWebAppHandler({
        files: options.webFiles,
        base: options.base,
        fileStoreOrigin: options.uploads.deps.files.origin,
        sessions: options.session.sessions,
      }),
    },
  ];
}
