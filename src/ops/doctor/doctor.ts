import { createEdgeChecks } from "./edge-checks.ts";
import { createClockCheck, createMachineChecks } from "./machine-checks.ts";
import type { DatabaseState } from "#db/inspect-database.ts";
import { CheckError, runChecks, type Check, type CheckResult } from "#portable/checks.ts";
import type { MailerOptions } from "#mail/mailer.ts";
import type { S3Settings } from "#storage/s3/s3-target.ts";

export interface DoctorConfig {
  base: string;
  dataDir: string;
  databaseUrl: string | undefined;
  storage: (S3Settings & { kind: "s3" }) | { kind: "disk" };
  mail: Omit<MailerOptions, "base"> | undefined;
  identityProviders: readonly { issuer: string }[];
}

export interface DoctorOptions {
  /** Returns the config, or throws an error that lists the problems of the settings. */
  readConfig: () => DoctorConfig;
  nodeVersion: string;
  /** The oldest version that the server supports. */
  requiredNodeVersion: string;
  onResult?: (result: CheckResult) => void;
}

/** What the checks found, for later ones. */
export interface Findings {
  database?: DatabaseState;
  /** The Date headers of other servers, by host. */
  dates: Map<string, string | null>;
}

/** Checks what keeps clients from connecting. Changes nothing, and needs no account. */
export async function runDoctor(options: DoctorOptions): Promise<{ ok: boolean; checks: CheckResult[] }> {
  const findings: Findings = { dates: new Map() };
  let laterChecks: Check[] = [];
  async function checkNode(): Promise<string> {
    const { nodeVersion, requiredNodeVersion } = options;
    if (nodeVersion.localeCompare(requiredNodeVersion, "en", { numeric: true }) >= 0) return `Node ${nodeVersion}.`;
    throw new CheckError(
      `This is Node ${nodeVersion}; Atelier needs ${requiredNodeVersion} or newer.`,
      "Run npm ci, and start everything with npm.",
    );
  }
  async function checkSettings(): Promise<string> {
    try {
      const config = options.readConfig();
      const createChecks = [createMachineChecks, createEdgeChecks, createClockCheck];
      laterChecks = createChecks.flatMap((create) => create(config, findings));
      return "All settings are valid.";
    } catch (error) {
      const message = (error as Error).message.replace(/\s*\n\s*/g, " ");
      throw new CheckError(message, "Correct these settings in the environment of the server.");
    }
  }
  const firstChecks: Check[] = [
    { name: "node", run: checkNode },
    { name: "settings", run: checkSettings },
  ];
  const checks = await runChecks(firstChecks, options.onResult);
  checks.push(...(await runChecks(laterChecks, options.onResult)));
  return { ok: checks.every(({ status }) => status !== "failed"), checks };
}

/** One line, and another one with the advice. */
export function formatCheckResult({ name, status, message, advice }: CheckResult): string {
  const line = `${(status === "failed" ? "FAILED" : status).padEnd(9)}${name.padEnd(14)}${message}`;
  return advice === "" ? line : `${line}\n${" ".repeat(23)}→ ${advice}`;
}
