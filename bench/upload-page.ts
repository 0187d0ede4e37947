import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { openChromium, openObservedPage, type Browser } from "../test/support/chromium.ts";
import { machineSpread } from "./report.ts";
import { createTempFolder } from "../test/support/temp-folder.ts";
import { listStoreNames } from "../test/support/stores.ts";
import { chooseFiles, createTestUploadLink, writeVideoFile } from "../test/support/upload-fixture.ts";
import { createUploadProcess, type UploadProcess } from "../test/support/upload-process.ts";

/**
 * Measures one file through the upload page in a real browser, from selecting it until it is on the post, compared with
 * the same parts sent by the browser to a server that discards them, and with `curl -T` of the same file to a presigned
 * URL. Each round measures all three in turn; the best result of each counts, because other load on the machine can only
 * slow an upload down. TEST_S3_ENDPOINT and the other TEST_S3_… settings add S3.
 *
 *   node bench/upload-page.ts          256 MB
 *   node bench/upload-page.ts --full   1 GB
 */

const runProgram = promisify(execFile);
const isFullRun = process.argv.includes("--full");
const megabytes = isFullRun ? 1024 : 256;
const rounds = isFullRun ? 3 : 2;
/**
 * The lowest allowed speed, relative to the browser alone. Measured: 0.92 with 1 GB and 0.73 to 0.78 with 256 MB, where
 * opening and confirming the upload count more. The margin is for noise, and a regression of 15 % still fails.
 */
const minRatio = (isFullRun ? 0.8 : 0.66) / machineSpread;

async function uploadThroughPage(service: UploadProcess, browser: Browser, file: string): Promise<number> {
  const link = await createTestUploadLink(service);
  const { page, context } = await openObservedPage(browser);
  await page.goto(link.url);
  await page.locator('[data-state="empty"]').waitFor();
  const startedAt = performance.now();
  await chooseFiles(page, file);
  await page.locator('[data-state="done"]').waitFor({ timeout: 600_000 });
  const seconds = (performance.now() - startedAt) / 1000;
  const [asset] = await link.assets();
  if (asset?.bytes !== megabytes * 1024 ** 2) throw new Error("the file is not on the post");
  await context.close();
  return seconds;
}

async function uploadWithCurl(service: UploadProcess, file: string): Promise<number> {
  const { owner } = await createTestUploadLink(service);
  const { uploadUrl } = await requestAssetUpload(service.deps, owner, { kind: "video", mimeType: "video/mp4" });
  const startedAt = performance.now();
  const { stdout } = await runProgram("curl", ["-sS", "-w", "%{http_code}", "-T", file, uploadUrl]);
  if (!stdout.endsWith("200")) throw new Error(`curl: ${stdout}`);
  return (performance.now() - startedAt) / 1000;
}

/** Measures how fast the browser alone is: sends parts of 8 MiB, four at a time, to a server that discards them. */
async function uploadFromBrowserAlone(browser: Browser, file: string): Promise<number> {
  const server = createServer((req, res) => {
    if (req.method === "PUT") return void req.on("end", () => res.end()).resume();
    res.writeHead(200, { "content-type": "text/html" }).end(barePage);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { page, context } = await openObservedPage(browser);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await page.locator("input").setInputFiles(file);
  const seconds = await page.evaluate<number>("sendInParts(8 * 1024 ** 2, 4)");
  await context.close();
  server.close();
  return seconds;
}

const barePage = `<input type=file>
<script>
  const send = (body) => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", "/");
    request.onload = resolve;
    request.onerror = reject;
    request.send(body);
  });
  async function sendInParts(partBytes, concurrency) {
    const file = document.querySelector("input").files[0];
    const startedAt = performance.now();
    let next = 0;
    const sendParts = async () => {
      while (next < file.size) await send(file.slice(next, (next += partBytes)));
    };
    await Promise.all(Array.from({ length: concurrency }, sendParts));
    return (performance.now() - startedAt) / 1000;
  }
</script>`;

const folder = createTempFolder("atelier-bench-");
const file = join(folder.path, "video.mp4");
await writeVideoFile(file, megabytes * 1024 ** 2);
let isTooSlow = false;
for (const store of listStoreNames()) {
  const service = await createUploadProcess(store);
  const browser = await openChromium();
  const speeds = { ours: 0, curl: 0, browser: 0 };
  const memoryBefore = service.getMemoryBytes();
  let peakMemory = memoryBefore;
  const sampling = setInterval(() => (peakMemory = Math.max(peakMemory, service.getMemoryBytes())), 100);
  for (let round = 0; round < rounds; round++) {
    speeds.curl = Math.max(speeds.curl, megabytes / (await uploadWithCurl(service, file)));
    speeds.browser = Math.max(speeds.browser, megabytes / (await uploadFromBrowserAlone(browser, file)));
    speeds.ours = Math.max(speeds.ours, megabytes / (await uploadThroughPage(service, browser, file)));
  }
  clearInterval(sampling);
  const ratio = speeds.ours / speeds.browser;
  isTooSlow ||= ratio < minRatio;
  const format = (value: number) => `${value.toFixed(0).padStart(6)} MB/s`;
  const name = `${megabytes} MB through the upload page, ${store}`.padEnd(50);
  process.stdout.write(
    `${name} ours ${format(speeds.ours)}   limit ${minRatio.toFixed(2)} x   ${"the browser alone".padEnd(17)} ${format(speeds.browser)}   ${ratio.toFixed(2)} x   (service +${((peakMemory - memoryBefore) / 1024 ** 2).toFixed(0)} MB)\n`,
  );
  process.stdout.write(
    `${name} ours ${format(speeds.ours)}   limit      -   ${"curl -T".padEnd(17)} ${format(speeds.curl)}   ${(speeds.ours / speeds.curl).toFixed(2)} x\n`,
  );
  await browser.close();
  await service.close();
}
folder.remove();
process.exit(isTooSlow ? 1 : 0);
