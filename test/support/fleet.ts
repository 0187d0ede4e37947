import { createTemporaryDatabase, getDatabaseSettings, type TemporaryDatabase } from "./engines.ts";
import { startMain, type MainProcess } from "./main-process.ts";
import { findNginx, startNginx } from "./nginx.ts";
import { startIssuer } from "./oidc-issuer.ts";
import { findFreeBaseUrl } from "./service.ts";
import { getTestS3Settings } from "./stores.ts";

/** Several instances of the service behind nginx, on one PostgreSQL database and one S3 bucket. */
export interface Fleet {
  base: string;
  location: TemporaryDatabase;
  /** The URLs of the instances, bypassing nginx. */
  instanceUrls: readonly string[];
  processes: MainProcess[];
  /** Starts this instance again on its port. */
  restart(index: number): Promise<void>;
  close(): Promise<void>;
}

export async function startFleet(size: number, env: Record<string, string> = {}): Promise<Fleet> {
  const base = await findFreeBaseUrl();
  const instanceUrls = await Promise.all(Array.from({ length: size }, findFreeBaseUrl));
  const location = await createTemporaryDatabase("postgres");
  const issuer = await startIssuer({ redirectUris: [`${base}/api/auth/callback/oidc`] });
  const s3 = getTestS3Settings();
  const start = (url: string) =>
    startMain({
      PORT: new URL(url).port,
      BASE_URL: base,
      DATA_DIR: location.dataDir,
      ...getDatabaseSettings(location),
      SECRETS: "a test secret that is long enough",
      OIDC_ISSUER: issuer.issuer,
      OIDC_CLIENT_ID: issuer.clientId,
      OIDC_CLIENT_SECRET: issuer.clientSecret,
      TRUST_PROXY: "loopback",
      STORAGE: "s3",
      S3_ENDPOINT: s3.endpoint ?? "",
      S3_REGION: s3.region,
      S3_BUCKET: s3.bucket,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      S3_FORCE_PATH_STYLE: String(s3.forcePathStyle),
      ...env,
    });
  // Starts them in parallel: one instance migrates the database while the others wait.
  const processes = await Promise.all(instanceUrls.map(start));
  const ports = instanceUrls.map((url) => Number(new URL(url).port));
  const nginx = await startNginx(findNginx() ?? "", Number(new URL(base).port), ports);
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
