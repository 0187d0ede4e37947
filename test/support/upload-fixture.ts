import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { BrowserContextOptions } from "playwright-core";
import type { FileStore } from "#domain/ports/file-store.ts";
import type { AssetDetail } from "#domain/model/asset.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { loadStaticFiles } from "#http/static-files.ts";
import type { S3Store } from "#storage/s3/s3-store.ts";
import { startAssetService } from "./asset-fixture.ts";
import { openObservedPage, type Browser, type ObservedPage, type Page } from "./chromium.ts";
import type { Fixture } from "./engines.ts";
import { newStudio } from "./users.ts";
import { mp4 } from "./samples.ts";
import type { RunningService, ServiceOptions } from "./service.ts";
import { waitUntil } from "./wait-until.ts";

const webFolder = join(import.meta.dirname, "../../web/dist");

/** Starts the whole service with the built web app, on a store that accepts uploads from it. */
export async function startUploadService(
  fixture: Fixture,
  store: FileStore["name"],
  options: ServiceOptions = {},
): Promise<RunningService> {
  const service = await startAssetService(fixture, store, { webFiles: await loadStaticFiles(webFolder), ...options });
  if (store === "s3") await (service.deps.files as S3Store).allowCorsOrigins([service.base]);
  return service;
}

export interface TestUploadLink {
  url: string;
  owner: Caller;
  postId: string;
  /** The post's assets, as `get_post` returns them. */
  assets(): Promise<AssetDetail[]>;
}

export async function createTestUploadLink(
  { deps }: Pick<RunningService, "deps">,
  title = "Spring catalogue",
): Promise<TestUploadLink> {
  const owner = await newStudio(deps, undefined, "Blue Door Studio");
  const post = await createPost(deps, owner, { title, body: "" });
  const { url } = await createUploadSession(deps, owner, { postId: post.id });
  return { url, owner, postId: post.id, assets: async () => (await getPost(deps, owner, { postId: post.id })).assets };
}

/** Opens the page of a new upload link. It closes after the test. */
export async function openUploadPage(
  t: TestContext,
  browser: Browser,
  service: RunningService,
  { title, initScript = "", ...options }: BrowserContextOptions & { title?: string; initScript?: string } = {},
): Promise<ObservedPage & { link: TestUploadLink }> {
  const link = await createTestUploadLink(service, title);
  const observed = await openObservedPage(browser, options);
  t.after(() => observed.context.close());
  await observed.page.addInitScript(initScript);
  await observed.page.goto(link.url);
  await observed.page.locator('[data-state="empty"]').waitFor();
  return { ...observed, link };
}

/** Writes a video file of this size, an MP4 header followed by noise; returns its digest. */
export async function writeVideoFile(path: string, bytes: number): Promise<string> {
  const hash = createHash("sha256");
  const out = createWriteStream(path);
  const write = async (chunk: Buffer): Promise<void> => {
    hash.update(chunk);
    if (!out.write(chunk)) await once(out, "drain");
  };
  const head = mp4();
  await write(head);
  const noise = randomBytes(1024 * 1024);
  for (let remaining = bytes - head.length, i = 0; remaining > 0; i++) {
    noise.writeUInt32BE(i); // every piece is different, so that a part in the wrong place changes the digest
    const piece = Buffer.from(noise.subarray(0, Math.min(remaining, noise.length)));
    await write(piece);
    remaining -= piece.length;
  }
  out.end();
  await once(out, "close");
  return hash.digest("hex");
}

export async function fetchDigest(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  const hash = createHash("sha256");
  for await (const chunk of response.body) hash.update(chunk as Uint8Array);
  return hash.digest("hex");
}

type Files = Parameters<ReturnType<Page["locator"]>["setInputFiles"]>[0];

/** Chooses files in the file input, as a user does. */
export async function chooseFiles(page: Page, files: Files): Promise<void> {
  await page.locator("input[type=file]").first().setInputFiles(files);
}

/** Drops files and folders on the page, as a user does. */
export async function dropFiles(page: Page, paths: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await session.send("Input.dispatchDragEvent", {
      type,
      x: 200,
      y: 200,
      data: { items: [], files: paths, dragOperationsMask: 1 },
    });
}

/** Limits the upload speed, so that a test can act in the middle of an upload. */
export async function throttleUploads(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  });
}

export const partBytes = 8 * 1024 ** 2;

export const isPartUrl = (url: string): boolean =>
  new URL(url).pathname.startsWith("/files/") || url.includes("partNumber=");

/**
 * Keeps an upload of this size from ending before the returned function is called: four parts, as many as the page sends
 * at once, do not arrive, and the last one is not sent.
 */
export async function holdLastParts(page: Page, bytes: number): Promise<() => void> {
  const hold = Promise.withResolvers<void>();
  let remaining = Math.ceil(bytes / partBytes) - 5;
  await page.route(
    ({ href }) => isPartUrl(href),
    async (route) => {
      if (--remaining < 0) await hold.promise;
      return route.continue();
    },
  );
  return hold.resolve;
}

/** Waits until this fraction of the first listed file is uploaded. */
export async function waitForProgress(page: Page, fraction: number): Promise<void> {
  const progressBar = page.locator("[data-status] progress").first();
  const getPercent = (): Promise<number> =>
    progressBar.evaluate((element) => (element as unknown as { value: number }).value).catch(() => 0);
  await waitUntil(async () => (await getPercent()) >= fraction * 100, { timeoutMs: 60_000, intervalMs: 50 });
}
