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
  /** The URLs of the instances, bypassing the load balancer. */
  instanceUrls: readonly string[];
  processes: MainProcess[];
  /** Starts this instance again on its port. */
  restart(index: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts instances behind nginx, with an identity provider. */
export async function startFleet(size: number, env: Record<string, string> = {}): Promise<Fleet> {
  const base = await findFreeBaseUrl();
  const instanceUrls = await Promise.all(Array.from({ length: size }, findFreeBaseUrl));
  const location = await createTemporaryDatabase("postgres");
  const issuer = await startIssuer({ redirectUris: [`${base}/api/auth/callback/oidc`] });
  const start = (url: string) =>
    startMain({
      ...getInstanceSettings(base, url, location),
      OIDC_ISSUER: issuer.issuer,
      OIDC_CLIENT_ID: issuer.clientId,
      OIDC_CLIENT_SECRET: issuer.clientSecret,
      ...env,
    });
  // Starts all instances at once; one migrates the database while the others wait.
  const processes = await Promise.all(instanceUrls.map(start));
  const ports = instanceUrls.map((url) => Number(new URL(url).port));
  const nginx = await startNginx(findProgram("nginx") ?? "", Number(new URL(base).port), ports);
  return {
    base,
    location,
    instanceUrls,
    processes,
    async restart(index) {
      processes[index] = await start(instanceUrls[index] ?? "");
    },
    async close() {
      await nginx.stop();
      await Promise.all(processes.map((instance) => instance.kill()));
      await issuer.close();
      await location.remove();
    },
  };
}

/**
 * Starts four instances behind HAProxy with `deploy/haproxy.cfg`, with the dev issuer and the sandbox platform. The dev
 * issuer keeps its state in one process, so `prepare` runs while only the first instance is started.
 */
export async function startSandboxFleet<T>(
  prepare: (base: string) => Promise<T>,
): Promise<{ fleet: Fleet; prepared: T }> {
  const base = await findFreeBaseUrl();
  const ports = await findFreePorts(4);
  const instanceUrls = ports.map((port) => `http://localhost:${port}`);
  const location = await createTemporaryDatabase("postgres");
  const start = (url: string) => startMain({ ...getInstanceSettings(base, url, location), RATE_LIMITS: "off" });
  const processes = [await start(instanceUrls[0] ?? "")];
  // The dev issuer and the sandbox reject requests that a proxy forwarded.
  const exemptDevPaths = (config: string): string =>
    config.replace(/^( +http-request set-header X-Forwarded-For .*)$/m, "$1 unless { path_beg /dev-idp /sandbox }");
  const haproxy = await startHaproxy("haproxy.cfg", Number(new URL(base).port), ports, "/readyz", exemptDevPaths);
  const fleet: Fleet = {
    base,
    location,
    instanceUrls,
    processes,
    async restart(index) {
      processes[index] = await start(instanceUrls[index] ?? "");
    },
    async close() {
      await haproxy.stop();
      await Promise.all(processes.map((instance) => instance.kill()));
      await location.remove();
    },
  };
  try {
    const prepared = await prepare(base);
    processes.push(...(await Promise.all(instanceUrls.slice(1).map(start))));
    return { fleet, prepared };
  } catch (error) {
    await fleet.close();
    throw error;
  }
}

function getInstanceSettings(base: string, instanceUrl: string, location: TemporaryDatabase): Record<string, string> {
  return {
    PORT: new URL(instanceUrl).port,
    BASE_URL: base,
    DATA_DIR: location.dataDir,
    ...getDatabaseSettings(location),
    SECRETS: "a test secret that is long enough",
    TRUST_PROXY: "loopback",
    ...getTestS3Environment(),
  };
}
