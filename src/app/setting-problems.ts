import { findIssuerProblems } from "#auth/enterprise-issuers.ts";
import { findClientProblems } from "#auth/operator-clients.ts";
import type { Config } from "#config/config.ts";
import { describeUnusedCredentials } from "#connectors/catalog.ts";

/** Finds problems in files and platforms that settings refer to, for `readConfig`. */
export function findSettingProblems(config: Config): string[] {
  return [
    ...describeUnusedCredentials(config.platformCredentials),
    ...findClientProblems(config.oauthClientsFile),
    ...findIssuerProblems(config.enterpriseIssuersFile, config.identityProviders),
  ];
}
