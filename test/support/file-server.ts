import type { HasAsset } from "#http/files/file-put.ts";
import { createFileRoutes } from "#http/files/file-routes.ts";
import { createFileTokens, type FileTokens } from "#http/files/file-tokens.ts";
import { createMetrics } from "#http/health-routes.ts";
import { createHttpServer } from "#http/server.ts";
import { systemClock, type Clock } from "#lib/clock.ts";
import { createIdGenerator } from "#lib/ids.ts";
import { createLog } from "#lib/log.ts";
import { createSigner, type Signer } from "#lib/signed-token.ts";
import { openDiskStore, type DiskStore } from "#storage/disk/disk-store.ts";
import { listenLocally } from "./local-server.ts";
import { createTempFolder } from "./temp-folder.ts";
import { findFreeBaseUrl } from "./service.ts";

export interface FileServer {
  base: string;
  /** The origin of the upload page. The server accepts uploads from this origin and from `base`. */
  uploadPage: string;
  root: string;
  store: DiskStore;
  tokens: FileTokens;
  signer: Signer;
  port: number;
  close(): Promise<void>;
}

export interface FileServerOptions {
  clock?: Clock;
  stallTimeoutMs?: number;
  minFreeBytes?: number;
  root?: string;
  /** By default, every key has an asset. */
  hasAsset?: HasAsset;
}

/** Starts the real HTTP server with only the file routes and a disk store. */
export async function startFileServer(options: FileServerOptions = {}): Promise<FileServer> {
  const { clock = systemClock, stallTimeoutMs = 30_000, minFreeBytes = 0 } = options;
  const folder = createTempFolder();
  const base = await findFreeBaseUrl();
  const uploadPage = "http://upload.localhost:4000";
  const signer = createSigner(["a test secret that is long enough"], clock);
  const tokens = createFileTokens(signer, base);
  const root = options.root ?? `${folder.path}/data/files`;
  const store = await openDiskStore({ root, urls: tokens, clock, minFreeBytes });
  const log = createLog("silent");
  const routes = createFileRoutes({
    store,
    tokens,
    hasAsset: options.hasAsset ?? (async () => true),
    origins: [base, uploadPage],
    clock,
    stallTimeoutMs,
  });
  const { nodeServer: server } = createHttpServer({
    routes: () => routes,
    urls: { base, uploadPage, isLoopback: true, mcpOrigins: [] },
    metrics: createMetrics(log),
    newId: createIdGenerator(clock),
    log,
  });
  const { port, close } = await listenLocally(server, Number(new URL(base).port));
  return {
    base,
    uploadPage,
    root,
    store,
    tokens,
    signer,
    port,
    async close() {
      await close();
      folder.remove();
    },
  };
}
