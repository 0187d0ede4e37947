import { readFileSync } from "node:fs";
import { z } from "zod";
import { formatIssues } from "#lib/format-issues.ts";
import { isLoopbackName } from "#lib/ip-address.ts";
import type { IdentityProvider } from "./relying-party.ts";

const isSafeUrl = (value: string): boolean => {
  const url = URL.parse(value);
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackName(url.hostname));
};
/** The messages complete the sentence “expected …” (`formatIssues`). */
const safeUrl = z.string().refine(isSafeUrl, "an https URL (http only on loopback)");

const issuerSchema = z.strictObject({
  /** As in the claim `iss` of its assertions. */
  issuer: safeUrl,
  /** Shown to users who link their account. */
  name: z.string().min(1).max(60).optional(),
  domains: z
    .array(
      z
        .string()
        .refine((value) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(value), "a domain in lower case, such as example.com"),
    )
    .min(1),
  /** The clients of this server that its assertions may name. */
  client_ids: z.array(z.string().min(1).max(2000)).min(1),
  jwks_uri: safeUrl.optional(),
  /** This server's registration at the issuer, with which users link their account. */
  link: z.strictObject({ client_id: z.string().min(1), client_secret: z.string().min(1).optional() }).optional(),
});

const issuersFileSchema = z
  .array(issuerSchema)
  .refine(
    (issuers) => new Set(issuers.map(({ issuer }) => issuer)).size === issuers.length,
    "each issuer to be unique",
  );

/** A company's issuer, whose assertions give its clients access (`ENTERPRISE_ISSUERS`). */
export interface EnterpriseIssuer extends Omit<z.infer<typeof issuerSchema>, "name"> {
  /** Part of the callback URL of its `link`. */
  id: string;
  name: string;
}

/** Reads the operator's file. Throws if it is invalid, or if no user could ever match an issuer. */
export function readEnterpriseIssuers(
  path: string | undefined,
  identityProviders: readonly { issuer: string }[],
): EnterpriseIssuer[] {
  if (path === undefined) return [];
  try {
    const parseResult = issuersFileSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (!parseResult.success) throw new Error(formatIssues(parseResult.error));
    for (const { issuer, link } of parseResult.data) {
      const isSignInProvider = identityProviders.some((provider) => isSameIssuer(provider.issuer, issuer));
      if (!isSignInProvider && !link)
        throw new Error(`${issuer}: expected link, because users do not sign in at this issuer`);
      if (isSignInProvider && link)
        throw new Error(`${issuer}: link is not allowed, because users sign in at this issuer`);
    }
    return parseResult.data.map((issuer, index) => ({
      ...issuer,
      id: `company-${index + 1}`,
      name: issuer.name ?? new URL(issuer.issuer).host,
    }));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "not valid JSON" : (error as Error).message;
    throw new Error(`ENTERPRISE_ISSUERS: ${path}: ${reason}`, { cause: error });
  }
}

/** OIDC_ISSUER may have or lack the final slash of the claim `iss`. */
const isSameIssuer = (a: string, b: string): boolean => a.replace(/\/$/, "") === b.replace(/\/$/, "");

/** The issuers where users link their account. */
export const listLinkable = (
  issuers: readonly EnterpriseIssuer[],
): (IdentityProvider & Pick<EnterpriseIssuer, "domains">)[] =>
  issuers.flatMap(({ id, name, issuer, domains, link }) =>
    link ? [{ id, name, issuer, domains, clientId: link.client_id, clientSecret: link.client_secret }] : [],
  );

/** Validates the file and returns its problems, for the config check. */
export function findIssuerProblems(...input: Parameters<typeof readEnterpriseIssuers>): string[] {
  try {
    readEnterpriseIssuers(...input);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
