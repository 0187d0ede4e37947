import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { after, before, beforeEach, test } from "node:test";
import { setImmediate as yieldToEvents } from "node:timers/promises";
import sharp from "sharp";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { createMediaTokens } from "#http/files/media-tokens.ts";
import { systemClock } from "#lib/clock.ts";
import { createLog } from "#lib/log.ts";
import type { DiskStore } from "#storage/disk/disk-store.ts";
import { startAssetService } from "../support/asset-fixture.ts";
import { createNoise } from "../support/samples.ts";
import { createDeps, forOneEngine } from "../support/engines.ts";
import { signIn, type HttpBrowser } from "../support/http-browser.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { createSandboxPlatforms } from "../support/sandbox-platforms.ts";
import { findFreeBaseUrl, type RunningService } from "../support/service.ts";
import { listStoreNames, putBytes } from "../support/stores.ts";
import { newStudio, signInUser } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

interface LogLine {
  level: string;
  msg: string;
  requestId: string;
  /** On the line of a request whose response was not sent completely. */
  cut?: boolean;
  err?: { message: string };
}

const image = { kind: "image", mimeType: "image/png", filename: "noise.png" } as const;

for (const storeName of listStoreNames())
  forOneEngine(`interrupted downloads and uploads on ${storeName}`, (fixture) => {
    let service: RunningService;
    let browser: HttpBrowser;
    let owner: Caller;
    let content: Buffer;
    /** The URLs of one file that is larger than the buffers of a connection, by the route that serves it. */
    const downloadUrls: Record<string, string> = {};
    let logLines: LogLine[] = [];
    let openedFiles: Readable[] = [];
    /** Runs before a file is opened. */
    let beforeOpen: (() => Promise<unknown>) | undefined;
    let uploads: Promise<unknown>[] = [];

    before(async () => {
      const base = await findFreeBaseUrl();
      const [setup] = createSandboxPlatforms({ base });
      assert.ok(setup && !setup.platform.protocol);
      const { platform } = setup;
      assert.ok(platform.limits.images);
      const limits = { ...platform.limits, images: { ...platform.limits.images, maxBytes: 2 ** 26 } };
      service = await startAssetService({ ...fixture, deps: createDeps(fixture.database, systemClock) }, storeName, {
        base,
        log: createLog("info", { write: (line) => void logLines.push(JSON.parse(line) as LogLine) }),
        stallTimeoutMs: 2000,
        platforms: [{ ...setup, platform: { ...platform, id: "large", name: "Large", limits } }],
      });
      const { deps } = service;
      recordFiles();
      browser = await signIn(base, "owner@example.com");
      const { user } = (await (await browser.send(`${base}/api/me`)).json()) as { user: Caller["user"] };
      owner = await newStudio(deps, await signInUser(deps, user));
      const noise = await createNoise(2600, 2400);
      content = await sharp(noise.data, { raw: noise.info }).png({ compressionLevel: 0 }).toBuffer();
      const { id: postId } = await createPost(deps, owner, { title: "Noise", body: "" });
      const { assetId, uploadUrl } = await requestAssetUpload(deps, owner, image);
      assert.equal(await putBytes(uploadUrl, content), 200);
      await attachAsset(deps, owner, { postId, assetId });
      const asset = await deps.assets.find(owner.studio.id, assetId);
      assert.ok(asset?.storageKey);
      const { storageKey } = asset;
      const connectionId = await newConnection(deps, owner, "studio", "large");
      downloadUrls["rendition"] =
        `${base}/api/studios/${owner.studio.id}/posts/${postId}/assets/${assetId}/renditions/${connectionId}`;
      downloadUrls["media"] = createMediaTokens(deps.signer, base, deps.clock).createUrl({ ...image, storageKey });
      const expiresAt = deps.clock() + 600_000;
      if (storeName === "disk")
        downloadUrls["file"] = await deps.files.createDownloadUrl(storageKey, {
          ...image,
          asDownload: true,
          expiresAt,
        });
      // Converts nothing, but inspects the image once. A busy machine may need longer than one request waits.
      const inspect = async (): Promise<boolean> => {
        const response = await browser.send(downloadUrls["rendition"] ?? "");
        await response.arrayBuffer();
        return response.status === 200;
      };
      await waitUntil(inspect, { timeoutMs: 120_000, description: "the image is inspected" });
    });
    beforeEach(() => {
      [logLines, openedFiles, beforeOpen] = [[], [], undefined];
    });
    after(() => service?.close());

    /** Records the streams of the store, so that tests can make them fail. */
    function recordFiles(): void {
      const record = (stream: Readable): Readable => {
        openedFiles.push(stream);
        return stream;
      };
      const files = service.deps.files as DiskStore;
      const store = { ...files };
      files.read = async (...args) => {
        await beforeOpen?.();
        return record(await store.read(...args));
      };
      files.open = async (key) => {
        await beforeOpen?.();
        const file = await store.open(key);
        return file && { ...file, stream: (range) => record(file.stream(range)) };
      };
      files.receive = (...args) => {
        const upload = store.receive(...args);
        uploads.push(upload);
        return upload;
      };
    }

    /** Sends a request over a new connection. `rest` follows the first headers. */
    function sendRequest(method: string, url: string, rest = "\r\n"): Socket {
      const { pathname, host, port } = new URL(url);
      const cookie = browser.cookies.header(new URL(url));
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => {});
      socket.write(`${method} ${pathname} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n${rest}`);
      return socket;
    }

    /** Starts a download and reads none of it. */
    async function startDownload(url: string): Promise<Socket> {
      const socket = sendRequest("GET", url);
      await once(socket, "readable");
      assert.match((socket.read(15) as Buffer).toString(), /^HTTP\/1\.1 200 OK/);
      return socket;
    }

    /** Waits until the server has ended the request; returns the other lines of the log. */
    async function waitForEnd(): Promise<LogLine[]> {
      await waitUntil(() => logLines.some(({ cut }) => cut), { description: "the request has ended" });
      await yieldToEvents();
      return logLines.filter(({ msg }) => msg !== "request");
    }

    const isEveryFileClosed = (): boolean => openedFiles.every(({ closed }) => closed);

    test("logs a download that fails after it started once, and closes the connection", async () => {
      for (const [route, url] of Object.entries(downloadUrls)) {
        logLines = [];
        const socket = await startDownload(url);
        openedFiles.at(-1)?.destroy(new Error("the store failed"));
        const problems = await waitForEnd();
        assert.deepEqual(
          problems.map(({ level, err }) => [level, err?.message]),
          [["error", "the store failed"]],
          route,
        );
        assert.equal(problems[0]?.requestId, logLines.find(({ cut }) => cut)?.requestId);
        socket.resume();
        await waitUntil(() => socket.closed, { description: "the connection is closed" });
      }
    });

    test("closes the file of a client that disconnects or stops reading, and logs no error (U17)", async () => {
      for (const url of Object.values(downloadUrls))
        for (const disconnects of [true, false]) {
          logLines = [];
          const socket = await startDownload(url);
          assert.ok(!isEveryFileClosed());
          if (disconnects) socket.destroy();
          assert.deepEqual(await waitForEnd(), []);
          await waitUntil(isEveryFileClosed, { description: "the file is closed" });
          socket.destroy();
        }
    });

    test("closes the file of a client that disconnects while it is opened, and logs no error", async () => {
      for (const [route, url] of Object.entries(downloadUrls)) {
        if (route === "media") continue; // opens no file for a client that has disconnected
        logLines = [];
        openedFiles = [];
        const [opening, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        beforeOpen = () => {
          opening.resolve();
          return release.promise;
        };
        const socket = sendRequest("GET", url);
        await opening.promise;
        socket.destroy();
        await waitUntil(() => logLines.length > 0, { description: "the server has noticed the disconnect" });
        release.resolve();
        await waitUntil(() => openedFiles.length > 0 && isEveryFileClosed(), { description: "the file is closed" });
        assert.deepEqual(await waitForEnd(), []);
      }
    });

    test("responds to HEAD without reading the file", async () => {
      for (const [route, url] of Object.entries(downloadUrls)) {
        const { status, headers } = await browser.send(url, { method: "HEAD" });
        const fileHeaders = ["content-type", "content-length"].map((name) => headers.get(name));
        assert.deepEqual([status, ...fileHeaders], [200, "image/png", String(content.length)], route);
      }
      assert.deepEqual(openedFiles, []);
    });

    // Clients send files for S3 to the store itself.
    if (storeName === "disk")
      test("logs no error if a client disconnects or stops sending during an upload (U17)", async () => {
        for (const disconnects of [true, false]) {
          [logLines, uploads] = [[], []];
          const { uploadUrl } = await requestAssetUpload(service.deps, owner, image);
          const socket = sendRequest("PUT", uploadUrl, `Content-Length: 1000000\r\n\r\n${"x".repeat(100_000)}`);
          await waitUntil(() => uploads.length > 0, { description: "the upload has started" });
          if (disconnects) socket.destroy();
          await assert.rejects(Promise.all(uploads));
          assert.deepEqual(await waitForEnd(), []);
          socket.destroy();
        }
      });
  });
