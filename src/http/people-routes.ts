import type { Deps } from "#domain/deps.ts";
import type { Signer } from "#lib/signed-token.ts";
import { joinRoutes } from "./pages/join-routes.ts";
import { loginRoutes, type LoginParts } from "./pages/login-routes.ts";
import type { Route } from "./server.ts";
import { signOutRoute } from "./sign-out.ts";

export interface PeopleParts extends LoginParts {
  deps: Deps;
  signer: Signer;
}

/** Signing in, joining a studio, signing out. */
export function peopleRoutes(parts: PeopleParts): Route[] {
  return [...loginRoutes(parts), ...joinRoutes(parts), signOutRoute(parts)];
}
