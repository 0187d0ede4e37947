import type { Deps } from "#domain/deps.ts";
import type { Signer } from "#lib/signed-token.ts";
import { createJoinRoutes } from "./pages/join-routes.ts";
import { createLoginRoutes, type LoginRouteOptions } from "./pages/login-routes.ts";
import type { Route } from "./server.ts";
import { createSignOutRoute } from "./sign-out.ts";

export interface SessionRouteOptions extends LoginRouteOptions {
  deps: Deps;
  signer: Signer;
}

/** Signing in, joining a studio, signing out. */
export function createSessionRoutes(options: SessionRouteOptions): Route[] {
  return [...createLoginRoutes(options), ...createJoinRoutes(options), createSignOutRoute(options)];
}
