import type { IdentityProvider } from "#auth/relying-party.ts";
import type { Route } from "#http/server.ts";
import type { PlatformSetup } from "#connectors/connectors.ts";
import { callbackPath } from "#connectors/platform.ts";
import type { SandboxStore } from "#db/sandbox.ts";
import { createDevIssuerRoutes } from "./dev-issuer-routes.ts";
import { createDevIssuer } from "./dev-issuer.ts";
import type { DevDeps } from "./in-process-provider.ts";
import { createSandboxApi } from "./sandbox-api.ts";
import { createSandboxPlatform } from "./sandbox-platform.ts";
import { createSandboxRoutes } from "./sandbox-routes.ts";
import { createSandboxSetup } from "./sandbox-setup.ts";

/** Replacements for external services on a loopback instance without an identity provider. */
export interface DevServices {
  identityProvider: IdentityProvider;
  platform: PlatformSetup;
  routes: readonly Route[];
}

export function createDevServices(deps: DevDeps, sandboxStore: SandboxStore): DevServices {
  const { baseUrl } = deps;
  const devIssuer = createDevIssuer(deps);
  const sandbox = createSandboxPlatform(deps, `${baseUrl}${callbackPath}sandbox`);
  return {
    identityProvider: devIssuer.provider,
    platform: createSandboxSetup(sandbox),
    routes: [
      ...createDevIssuerRoutes(baseUrl, devIssuer),
      ...createSandboxApi(deps, sandboxStore, sandbox.findAccount),
      ...createSandboxRoutes(baseUrl, sandbox),
    ],
  };
}
