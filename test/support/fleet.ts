import assert from "node:assert/strict";
import { createTemporaryDatabase, getDatabaseSettings, type TemporaryDatabase } from "./engines.ts";
import { findFreePorts } from "./free-ports.ts";
import { startHaproxy } from "./haproxy.ts";
import { startMain, type MainProcess } from "./main-process.ts";
import { startNginx } from "./nginx.ts";
import { startIssuer } from "./oidc-issuer.ts";
import { findFreeBaseUrl } from "./service.ts";
import { getTestS3Environment } from "./stores.ts";
import { findProgram } from "./find-program.ts";

/** Several instances of the service behind a load balancer, on one PostgreSQL database and one S3 bucket. */
export interface Fleet {
  base: string;
  location: TemporaryDatabase;
  processes: MainProcess[];
  /** Starts this instance, on the same port each time. */
  restart(index: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts instances behind nginx, with an identity provider. */
export async function startFleet(size: number): Promise<Fleet> {
  const base = await findFreeBaseUrl();
  const ports = await findFreePorts(size);
  const issuer = await startIssuer({ redirectUris: [`${base}/api/auth/callback/oidc`] });
  const fleet = await createFleet(base, ports, {
    OIDC_ISSUER: issuer.issuer,
    OIDC_CLIENT_ID: issuer.clientId,
    OIDC_CLIENT_SECRET: issuer.clientSecret,
  });
  // Starts all instances at once; one migrates the database while the others wait.
  await Promise.all(ports.map((_, index) => fleet.restart(index)));
  const nginx = await startNginx(findProgram("nginx") ?? "", Number(new URL(base).port), ports);
  return {
    ...fleet,
    async close() {
      await nginx.stop();
      await fleet.close();
      await issuer.close();
    },
  };
}

/**
 * Starts four instances behind HAProxy with `deploy/haproxy.cfg`, with the dev issuer and the sandbox platform. The dev
 * issuer keeps its state in one process, so `prepare` runs while a single instance serves the base URL by itself.
 */
export async function startSandboxFleet<T>(
  prepare: (base: string) => Promise<T>,
): Promise<{ fleet: Fleet; prepared: T }> {
  const base = await findFreeBaseUrl();
  const basePort = Number(new URL(base).port);
  const ports = await findFreePorts(4);
  const { start, ...instances } = await createFleet(base, ports, { RATE_LIMITS: "off" });
  try {
    const singleInstance = await start(basePort);
    const prepared = await prepare(base).finally(() => singleInstance.kill());
    await Promise.all(ports.map((_, index) => instances.restart(index)));
    // The sandbox rejects requests that a proxy forwarded.
    const exemptSandbox = (config: string): string =>
      config.replace(/^( +http-request set-header X-Forwarded-For .*)$/m, "$1 unless { path_beg /sandbox }");
    const haproxy = await startHaproxy("haproxy.cfg", basePort, ports, "/readyz", exemptSandbox);
    const close = async (): Promise<void> => {
      await haproxy.stop();
      await instances.close();
    };
    return { fleet: { ...instances, close }, prepared };
  } catch (error) {
    await instances.close();
    throw error;
  }
}

/** Creates the database of a fleet whose instances are not started yet. */
async function createFleet(
  base: string,
  ports: readonly number[],
  env: Record<string, string>,
): Promise<Fleet & { start(port: number): Promise<MainProcess> }> {
  const location = await createTemporaryDatabase("postgres");
  const processes: MainProcess[] = [];
  const start = (port: number): Promise<MainProcess> =>
    startMain({
      PORT: String(port),
      BASE_URL: base,
      DATA_DIR: location.dataDir,
      ...getDatabaseSettings(location),
      SECRETS: "a test secret that is long enough",
      TRUST_PROXY: "loopback",
      ...getTestS3Environment(),
      ...env,
    });
  return {
    base,
    location,
    processes,
    start,
    async restart(index) {
      processes[index] = await start(ports[index] ?? assert.fail());
    },
    async close() {
      await Promise.all(processes.map((instance) => instance.kill()));
      await location.remove();
    },
  };
}
