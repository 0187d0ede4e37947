import type { People } from "#auth/people.ts";
import type { Deps } from "#domain/deps.ts";
import type { Signer } from "#lib/signed-token.ts";
import { devIssuerRoutes } from "./pages/dev-issuer-routes.ts";
import { joinRoutes } from "./pages/join-routes.ts";
import { loginRoutes, type LoginParts } from "./pages/login-routes.ts";
import type { Route } from "./server.ts";
import { signOutRoute } from "./sign-out.ts";

export interface PeopleParts extends People, Pick<LoginParts, "base" | "loginUrl" | "limit"> {
  deps: Deps;
  signer: Signer;
}

/** Signing in, joining a studio, signing out. */
export function peopleRoutes(parts: PeopleParts): Route[] {
  const { base, devIssuer } = parts;
  return [
    ...loginRoutes(parts),
    ...joinRoutes(parts),
    signOutRoute(parts),
    ...(devIssuer ? devIssuerRoutes({ base, devIssuer }) : []),
  ];
}
