import { isLoopbackName } from "#lib/ip-address.ts";
import { parseUrl, type Environment } from "./settings.ts";

export interface IdentityProviderConfig {
  /** Part of the callback URL: `{base}/api/auth/callback/<id>`. */
  id: string;
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
}

/** Reads the first provider from `OIDC_ISSUER` and related settings, and additional ones by number: `OIDC_2_ISSUER`. */
export function readIdentityProviders(variables: Environment, problems: string[]): readonly IdentityProviderConfig[] {
  const numbers = new Set<string>();
  for (const name of Object.keys(variables).filter((key) => key.startsWith("OIDC_"))) {
    if (/^OIDC_(0\d*|1)_/.test(name))
      problems.push(`${name}: the first provider has no number; additional ones start with OIDC_2_`);
    numbers.add(/^OIDC_(\d+)_(?:ISSUER|CLIENT_ID|CLIENT_SECRET|NAME)$/.exec(name)?.[1] ?? "1");
  }
  return [...numbers]
    .toSorted((a, b) => Number(a) - Number(b))
    .flatMap((number) => readIdentityProvider(number, variables, problems));
}

function readIdentityProvider(number: string, variables: Environment, problems: string[]): IdentityProviderConfig[] {
  const prefix = number === "1" ? "OIDC_" : `OIDC_${number}_`;
  const issuer = variables[`${prefix}ISSUER`];
  const clientId = variables[`${prefix}CLIENT_ID`];
  const url = issuer === undefined ? undefined : parseUrl(issuer);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackName(url.hostname));
  if (issuer === undefined) problems.push(`${prefix}ISSUER: required with the other ${prefix}… settings`);
  else if (!isSafe) problems.push(`${prefix}ISSUER: expected an https URL (http only on loopback)`);
  if (clientId === undefined) problems.push(`${prefix}CLIENT_ID: required with ${prefix}ISSUER`);
  if (issuer === undefined || clientId === undefined || !url || !isSafe) return [];
  return [
    {
      id: number === "1" ? "oidc" : `oidc-${number}`,
      name: variables[`${prefix}NAME`] ?? url.hostname,
      issuer,
      clientId,
      clientSecret: variables[`${prefix}CLIENT_SECRET`],
    },
  ];
}
