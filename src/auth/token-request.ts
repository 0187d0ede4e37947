import { errors, Provider, type KoaContextWithOIDC } from "oidc-provider";
import { scopes as studioScopes, type Scope } from "#domain/caller.ts";
import { canonicalResource, resourceSpellings } from "./oauth-paths.ts";

/**
 * What the library finds out too late, after a code or a refresh token has been used up: a request that asks for
 * another resource or for more than was granted is refused, and what it came with stays good.
 */
export function checkBeforeUse(provider: Provider, base: string): void {
  const spellings = resourceSpellings(base);
  for (const model of [provider.AuthorizationCode, provider.RefreshToken]) {
    // A token request may spell the resource otherwise than the authorization did; there is only one.
    Object.defineProperty(model.prototype, "resourceIndicators", { get: () => new Set(spellings) });
    const prototype = model.prototype as { consume(): Promise<void> };
    const use = prototype.consume;
    prototype.consume = async function consume(this: { consume(): Promise<void> }) {
      const { oidc } = Provider.ctx ?? {};
      if (oidc) {
        checkResource(oidc, base);
        checkScope(oidc, spellings);
      }
      await use.call(this);
    };
  }
}

type OIDC = KoaContextWithOIDC["oidc"];

/** RFC 8707 §2.2. */
function checkResource({ params }: OIDC, base: string): void {
  const asked = [params?.["resource"] ?? []].flat() as string[];
  const named = [...new Set(asked.map((one) => canonicalResource(base, one)))];
  if (named.some((one) => one !== `${base}/mcp`)) throw new errors.InvalidTarget();
  if (params && named.length > 0) params["resource"] = named[0];
}

/** RFC 6749 §6: not more than the person granted, which may be less than the client had asked for. */
function checkScope({ params, entities }: OIDC, spellings: readonly string[]): void {
  const wanted = params?.["scope"];
  const asked = typeof wanted === "string" ? wanted.split(" ") : [];
  const granted = entities.Grant?.getResourceScope(spellings[0] ?? "").split(" ") ?? asked;
  const missing = asked.filter((scope) => studioScopes.includes(scope as Scope) && !granted.includes(scope));
  if (missing.length > 0) throw new errors.InvalidScope("more was requested than granted", missing.join(" "));
}
