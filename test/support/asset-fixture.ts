import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createFileTokens } from "#http/files/file-tokens.ts";
import type { AssetDetail } from "#domain/model/asset.ts";
import type { FileStore } from "#domain/ports/file-store.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { systemClock } from "#lib/clock.ts";
import { createSigner } from "#lib/signed-token.ts";
import { openDiskStore } from "#storage/disk/disk-store.ts";
import { createDeps, forEachEngine, listEngines, listOneEngine, type Fixture } from "./engines.ts";
import { createTempFolder } from "./temp-folder.ts";
import { findFreeBaseUrl, startService, type RunningService, type ServiceOptions } from "./service.ts";
import { openTestS3, listStoreNames } from "./stores.ts";
import { createTestGrant } from "./tokens.ts";

/** Defines the same suite for each store and engine. A short run tests S3 with one engine only. */
export function forEachStoreAndEngine(
  name: string,
  define: (fixture: Fixture, store: FileStore["name"]) => void,
  skip: string | false = false,
): void {
  for (const store of listStoreNames()) {
    const engines = store === "disk" ? listEngines() : listOneEngine();
    forEachEngine(`${name} on ${store}`, (fixture) => define(fixture, store), engines, skip);
  }
}

/** Starts the service on a store and the test's database. On S3 it uses the system clock, as the S3 server does. */
export async function startAssetService(
  fixture: Fixture,
  store: FileStore["name"],
  options: ServiceOptions = {},
): Promise<RunningService> {
  if (store === "disk") return startDiskService(fixture.deps, options);
  const files = await openTestS3();
  const service = await startService({ ...createDeps(fixture.database, systemClock), files }, options);
  return {
    ...service,
    async close() {
      await service.close();
      files.close();
    },
  };
}

export async function startDiskService(deps: Deps, options: ServiceOptions): Promise<RunningService> {
  const base = options.base ?? (await findFreeBaseUrl());
  const folder = createTempFolder();
  const signer = createSigner(["a test secret that is long enough"], deps.clock);
  const tokens = createFileTokens(signer, base);
  const root = `${folder.path}/files`;
  const disk = await openDiskStore({ root, urls: tokens, clock: deps.clock, minFreeBytes: 0 });
  const service = await startService(
    { ...deps, files: disk, signer },
    { ...options, base, disk: { store: disk, tokens } },
  );
  return {
    ...service,
    async close() {
      await service.close();
      folder.remove();
    },
  };
}

/** The fields of all results that tests read; a missing field fails the test's assertion. */
export interface StructuredResult extends AssetDetail {
  code: string;
  message: string;
  hint: string;
  assetId: string;
  uploadUrl: string;
  expiresAt: string;
  detached: string;
  deleted: string;
  revision: number;
  assets: AssetDetail[];
  nextCursor: string | null;
}

export interface ToolResult {
  isError: boolean;
  structured: StructuredResult;
  text: string;
  images: { data: string; mimeType: string }[];
}

export interface ToolClient {
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>;
  /** Returns the result; throws if the call fails. */
  callOk(name: string, args?: Record<string, unknown>): Promise<StructuredResult>;
  /** Returns the error code; throws if the call succeeds. */
  callError(name: string, args?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

interface ContentBlock {
  type: string;
  text?: string;
  data: string;
  mimeType: string;
}

/** Connects the SDK's client with a new grant of this user. */
export async function connectToolClient(service: RunningService, caller: Caller): Promise<ToolClient> {
  const { token } = await createTestGrant(service.deps, caller);
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const transport = new StreamableHTTPClientTransport(new URL(`${service.base}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  const call: ToolClient["call"] = async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    const content = result.content as ContentBlock[];
    return {
      isError: result.isError === true,
      structured: result.structuredContent as unknown as StructuredResult,
      text: content[0]?.text ?? "",
      images: content.filter(({ type }) => type === "image"),
    };
  };
  return {
    call,
    async callOk(name, args) {
      const { isError, structured, text } = await call(name, args);
      if (isError) throw new Error(`${name} failed: ${text}`);
      return structured;
    },
    async callError(name, args) {
      const { isError, structured, text } = await call(name, args);
      if (!isError) throw new Error(`${name} did not fail: ${text.slice(0, 200)}`);
      if (!text.startsWith(`${structured.code}:`)) throw new Error(`the text does not start with the code: ${text}`);
      return structured.code;
    },
    close: () => client.close(),
  };
}

export async function downloadBytes(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}
