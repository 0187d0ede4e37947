import type { McpEndpoint } from "#mcp/endpoint.ts";
import { connectRoutes, type ConnectParts } from "./pages/connect-routes.ts";
import { consentRoutes, type ConsentParts } from "./pages/consent-routes.ts";
import { fileRoutes, type FileRouteParts } from "./files/file-routes.ts";
import { healthz, readyz, type Need } from "./health.ts";
import { oauthRoutes, type OAuthParts } from "./oauth-routes.ts";
import { peopleRoutes, type PeopleParts } from "./people-routes.ts";
import { mcpRoute } from "./mcp-route.ts";
import type { Metrics } from "./metrics.ts";
import { metricsRoute } from "./metrics-route.ts";
import type { Handler, Route } from "./server.ts";
import { uploadRoutes, type UploadRouteParts } from "./uploads/routes.ts";
import { thumbnailRoute, type ThumbnailParts } from "./files/thumbnail-route.ts";
import { webApp, type StaticFiles } from "./static-files.ts";

export interface RouteParts {
  base: string;
  /** The JSON API behind the web app. */
  api: Handler;
  metrics: Metrics;
  metricsToken: string | undefined;
  needs: readonly Need[];
  webFiles: StaticFiles;
  people: PeopleParts;
  oauth: OAuthParts;
  consent: ConsentParts;
  connect: ConnectParts;
  /** Routes of the development issuer and the sandbox platform; empty in production. */
  dev: readonly Route[];
  mcp: McpEndpoint;
  thumbnails: ThumbnailParts;
  uploads: UploadRouteParts;
  /** The signed addresses of the disk store, where it is used. */
  files: FileRouteParts | undefined;
}

/** Every address of the service. */
export function createRoutes(parts: RouteParts): (isDraining: () => boolean) => readonly Route[] {
  return (isDraining) => [
    { path: "/healthz", origin: "any", anyHost: true, handle: healthz },
    { path: "/readyz", origin: "any", anyHost: true, handle: readyz(parts.needs, isDraining) },
    { path: "/metrics", origin: "any", anyHost: true, handle: metricsRoute(parts.metrics, parts.metricsToken) },
    ...oauthRoutes(parts.oauth),
    mcpRoute(parts.mcp),
    mcpRoute(parts.mcp, "/mcp/"), // as people write it too; the resource has one name
    ...peopleRoutes(parts.people),
    ...consentRoutes(parts.consent),
    ...connectRoutes(parts.connect),
    ...parts.dev,
    thumbnailRoute(parts.thumbnails),
    ...(parts.files ? fileRoutes(parts.files) : []),
    ...uploadRoutes(parts.uploads),
    { path: "/api/*", origin: "own", handle: parts.api },
    { path: "/*", origin: "own", handle: webApp(parts.webFiles, parts.base, parts.uploads.deps.files.origin) },
  ];
}
