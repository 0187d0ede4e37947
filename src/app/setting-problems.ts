import { findClientProblems } from "#auth/operator-clients.ts";
import type { Config } from "#config/config.ts";
import { describeUnusedCredentials } from "#connectors/catalog.ts";

/** Finds problems in files and platforms that settings refer to, for `readConfig`. */
export function findSettingProblems({ platformCredentials, oauthClientsFile }: Config): string[] {
  return [...describeUnusedCredentials(platformCredentials), ...findClientProblems(oauthClientsFile)];
}
