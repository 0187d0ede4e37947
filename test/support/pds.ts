import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { startChildProgram, type ChildProgram } from "./child-program.ts";
import { startFaultyProxy, type FaultyProxy } from "./faulty-proxy.ts";
import { startPlcDirectory, type PlcDirectory } from "./plc-directory.ts";
import { findFreePort } from "./free-ports.ts";
import { createTempFolder } from "./temp-folder.ts";

/** A temporary PDS, the server of Bluesky accounts, behind a proxy that injects faults. */
export interface Pds {
  /** The proxy's URL, which is also the server's public URL. */
  url: string;
  proxy: FaultyProxy;
  plc: PlcDirectory;
  createAccount(handle: string): Promise<PdsAccount>;
  /** Restarts the server with another secret for DPoP nonces, so that it rejects the nonces that it issued before. */
  rotateNonces(): Promise<void>;
  /** Reads an account's posts with the library of the Bluesky app. */
  readPosts(did: string): Promise<ReadPost[]>;
  /** Reads a published file with the library of the Bluesky app. */
  readBlob(did: string, cid: string): Promise<Uint8Array>;
  /** The length of a text, as the library of the Bluesky app counts it. */
  countCharacters(text: string): Promise<number>;
  stop(): Promise<void>;
}

export interface PdsAccount {
  did: string;
  handle: string;
  password: string;
}

export interface ReadPost {
  uri: string;
  text: string;
  createdAt: string;
  langs: string[];
  labels: string[];
  /** The kinds of accounts that may reply; null if all may. */
  replyRules: string[] | null;
  reply: Record<"root" | "parent", { uri: string; cid: string }> | null;
  /** The text of each link, mention and tag, and what it points to. */
  features: [string, string][];
  images: {
    alt: string;
    aspectRatio?: { width: number; height: number };
    mimeType: string;
    size: number;
    cid: string;
  }[];
}

interface Reader {
  readPosts(serverUrl: string, did: string): Promise<ReadPost[]>;
  readBlob(serverUrl: string, did: string, cid: string): Promise<Uint8Array>;
  countCharacters(text: string): number;
}

const serverFolder = join(import.meta.dirname, "../servers/pds");

/** Whether the packages of test/servers/pds are installed. */
export const hasPds = (): boolean => existsSync(join(serverFolder, "node_modules/@atproto/pds"));

/** The `skip` option of a test that needs a PDS: false if it is installed. */
export const skipWithoutPds: string | false = !hasPds() && "not installed: Bluesky PDS";

export interface PdsOptions {
  /** The server reads the metadata of clients on `host`, which has no DNS entry, from `documentsUrl`. */
  client?: { host: string; documentsUrl: string };
}

export async function startPds({ client }: PdsOptions = {}): Promise<Pds> {
  const folder = createTempFolder("atelier-pds-");
  const blobFolder = join(folder.path, "blobs");
  mkdirSync(blobFolder);
  const plc = await startPlcDirectory();
  const port = await findFreePort();
  const proxy = await startFaultyProxy(`http://127.0.0.1:${port}`);
  const url = proxy.endpoint.replace("127.0.0.1", "localhost");
  const secrets = { jwt: randomBytes(32).toString("hex"), plcKey: randomBytes(32).toString("hex") };
  const reader = (await import(join(serverFolder, "reader.js"))) as Reader;

  async function startServer(): Promise<ChildProgram> {
    const program = startChildProgram(
      ["server.js"],
      {
        LISTEN_PORT: String(port),
        LOG_ENABLED: "false",
        ...(client && { CLIENT_HOST: client.host, CLIENT_DOCUMENTS_URL: client.documentsUrl }),
        PDS_DEV_MODE: "1",
        PDS_HOSTNAME: "localhost",
        PDS_PORT: new URL(url).port,
        PDS_DATA_DIRECTORY: folder.path,
        PDS_BLOBSTORE_DISK_LOCATION: blobFolder,
        PDS_DID_PLC_URL: plc.url,
        PDS_INVITE_REQUIRED: "0",
        PDS_SERVICE_HANDLE_DOMAINS: ".test",
        PDS_DISABLE_SSRF_PROTECTION: "1",
        PDS_JWT_SECRET: secrets.jwt,
        PDS_DPOP_SECRET: randomBytes(32).toString("hex"),
        PDS_PLC_ROTATION_KEY_K256_PRIVATE_KEY_HEX: secrets.plcKey,
        PDS_ADMIN_PASSWORD: randomBytes(16).toString("hex"),
      },
      { cwd: serverFolder, stopSignal: "SIGTERM" },
    );
    await program.waitForMatch(/listening/);
    return program;
  }

  let server = await startServer();
  return {
    url,
    proxy,
    plc,
    async createAccount(handle) {
      const password = randomBytes(16).toString("hex");
      const response = await fetch(`${url}/xrpc/com.atproto.server.createAccount`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ handle, password, email: `${handle}@example.com` }),
      });
      const body = (await response.json()) as { did: string };
      assert.equal(response.status, 200, JSON.stringify(body));
      return { did: body.did, handle, password };
    },
    async rotateNonces() {
      await server.stop();
      server = await startServer();
    },
    readPosts: (did) => reader.readPosts(url, did),
    readBlob: (did, cid) => reader.readBlob(url, did, cid),
    countCharacters: async (text) => reader.countCharacters(text),
    async stop() {
      await server.stop();
      await proxy.close();
      await plc.close();
      folder.remove();
    },
  };
}

/** Sends requests for the accounts' handles, which are host names without DNS records, to the server. */
export function routeHandles({ url }: Pick<Pds, "url">, publicFetch: PublicFetch): PublicFetch {
  return (requestUrl, request) => {
    const { hostname, pathname } = new URL(requestUrl);
    if (!hostname.endsWith(".test")) return publicFetch(requestUrl, request);
    return publicFetch(`${url}${pathname}`, { ...request, headers: { ...request?.headers, host: hostname } });
  };
}
