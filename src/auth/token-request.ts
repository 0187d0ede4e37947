import { errors, Provider, type KoaContextWithOIDC } from "oidc-provider";
import { scopes as studioScopes, type Scope } from "#domain/caller.ts";
import { canonicalizeResource, listResourceAliases } from "./oauth-paths.ts";

/**
 * What the library finds out too late, after a code or a refresh token has been used up: a request that asks for
 * another resource or for more than was granted is refused, and what it came with stays good.
 */
export function validateBeforeConsume(provider: Provider, base: string): void {
  const aliases = listResourceAliases(base);
  for (const model of [provider.AuthorizationCode, provider.RefreshToken]) {
    // A token request may spell the resource otherwise than the authorization did; there is only one.
    Object.defineProperty(model.prototype, "resourceIndicators", { get: () => new Set(aliases) });
    const prototype = model.prototype as { consume(): Promise<void> };
    const originalConsume = prototype.consume;
    prototype.consume = async function consume(this: { consume(): Promise<void> }) {
      const { oidc } = Provider.ctx ?? {};
      if (oidc) {
        checkResource(oidc, base);
        checkScope(oidc, aliases);
      }
      await originalConsume.call(this);
    };
  }
}

type OIDC = KoaContextWithOIDC["oidc"];

/** RFC 8707 §2.2. */
function checkResource({ params }: OIDC, base: string): void {
  const requestedValues = [params?.["resource"] ?? []].flat() as string[];
  const resources = [...new Set(requestedValues.map((resource) => canonicalizeResource(base, resource)))];
  if (resources.some((resource) => resource !== `${base}/mcp`)) throw new errors.InvalidTarget();
  if (params && resources.length > 0) params["resource"] = resources[0];
}

/** RFC 6749 §6: not more than the person granted, which may be less than the client had asked for. */
function checkScope({ params, entities }: OIDC, aliases: readonly string[]): void {
  const scopeParam = params?.["scope"];
  const requestedValues = typeof scopeParam === "string" ? scopeParam.split(" ") : [];
  const grantedScopes = entities.Grant?.getResourceScope(aliases[0] ?? "").split(" ") ?? requestedValues;
  const missingScopes = requestedValues.filter(
    (scope) => studioScopes.includes(scope as Scope) && !grantedScopes.includes(scope),
  );
  if (missingScopes.length > 0)
    throw new errors.InvalidScope("more was requested than granted", missingScopes.join(" "));
}
