import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createCertificate } from "../support/certificate.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { createLinkClient, type LinkClient } from "../support/link-client.ts";
import { getPercentile } from "../support/latency.ts";
import { listenLocally, type LocalServer } from "../support/local-server.ts";
import { isLongRun } from "../support/long-run.ts";
import { createKnownAttacks, createMutatedVideos, type HostileVideo } from "../support/mutated-videos.ts";
import { mimeTypeOf, muxVideo } from "../support/muxed-videos.ts";
import { useServiceProcess } from "../support/service-process.ts";
import type { StudioClient } from "../support/studio-client.ts";

const maxMs = 1000;
const maxGrowthMb = 200;
const mebibyte = 1024 ** 2;
/** A public IP address that `reroute.ts` redirects to a server on this machine. */
const publicIp = "93.184.216.34";

/** One way to upload a file; resolves when it is stored and rejects if the service rejects it. */
type UploadMethod = (file: HostileVideo) => Promise<unknown>;

describe("hostile media", { timeout: 900_000 }, () => {
  const folder = createTempFolder();
  const servedFiles = new Map<string, HostileVideo>();
  let webServer: LocalServer;
  let studio: StudioClient;
  let postId: string;
  let linkClient: LinkClient;

  const service = useServiceProcess(async () => {
    const { key, cert } = createCertificate([publicIp]);
    const certificate = `${folder.path}/web.pem`;
    writeFileSync(certificate, cert);
    const server = createServer({ key, cert }, (req, res) => {
      const file = servedFiles.get(req.url ?? "");
      res.writeHead(file ? 200 : 404, { "content-type": file?.mimeType ?? "text/plain" }).end(file?.bytes);
    });
    webServer = await listenLocally(server);
    return {
      env: {
        MAX_ASSETS_PER_POST: "1000",
        NODE_EXTRA_CA_CERTS: certificate,
        NODE_OPTIONS: `--import=${join(import.meta.dirname, "../support/children/reroute.ts")}`,
        TEST_REROUTE: `${publicIp}=${webServer.port}`,
      },
    };
  });
  before(async () => {
    ({ studio } = service);
    postId = (await studio.call("create_post", { title: "Videos", body: "" })).id;
    linkClient = createLinkClient(service.base, (await studio.call("create_upload_session", { postId })).url);
  });
  after(async () => {
    await webServer?.close();
    folder.remove();
  });

  const uploadMethods = {
    inline: ({ mimeType, bytes }) =>
      studio.call("upload_asset_inline", { kind: "video", mimeType, base64: bytes.toString("base64") }),
    "presigned upload": async ({ mimeType, bytes }) => {
      const { assetId, uploadUrl } = await studio.call("request_asset_upload", { kind: "video", mimeType });
      const response = await fetch(uploadUrl, { method: "PUT", body: new Uint8Array(bytes) });
      assert.ok(response.ok);
      await studio.call("attach_asset", { postId, assetId });
    },
    import: async (file) => {
      const path = `/${servedFiles.size}`;
      servedFiles.set(path, file);
      await studio.call("import_asset_from_url", { url: `https://${publicIp}${path}` });
    },
    "upload link": async (file) => {
      const { status, body } = await linkClient.complete(await linkClient.sendParts(file));
      if (status !== 200) throw new Error(JSON.stringify(body));
    },
  } satisfies Record<string, UploadMethod>;

  /** Uploads a slow file again, up to three times: a busy machine is slow by chance, a hostile file always. */
  async function measureUpload(upload: UploadMethod, file: HostileVideo): Promise<{ ms: number; isStored: boolean }> {
    let isStored = false;
    const uploadOnce = async (name: string): Promise<number> => {
      const startedAt = performance.now();
      isStored = await upload({ ...file, name }).then(
        () => true,
        (error: unknown) => {
          assert.match(String(error), /type_mismatch|invalid_input|too_large/, file.name);
          return false;
        },
      );
      return performance.now() - startedAt;
    };
    let ms = await uploadOnce(file.name);
    for (let attempt = 2; ms >= maxMs && attempt <= 4; attempt++)
      ms = Math.min(ms, await uploadOnce(`${file.name}, attempt ${attempt}`));
    assert.ok(!service.hasExited, `the service exited: ${file.name}`);
    assert.ok(ms < maxMs, `${file.name}: ${ms.toFixed(0)} ms`);
    return { ms, isStored };
  }

  /** Uploads files two at a time, and measures the p99 of other calls meanwhile. */
  async function uploadAndMeasure(
    files: readonly HostileVideo[],
  ): Promise<{ p99: number; slowestMs: number; storedCount: number }> {
    const queue = [...files];
    const times: number[] = [];
    let [slowestMs, storedCount] = [0, 0];
    const uploadFromQueue = async (): Promise<void> => {
      for (let file = queue.shift(); file; file = queue.shift()) {
        const { ms, isStored } = await measureUpload(uploadMethods.inline, file);
        slowestMs = Math.max(slowestMs, ms);
        storedCount += isStored ? 1 : 0;
      }
    };
    const measureOtherCalls = async (): Promise<void> => {
      while (queue.length > 0) {
        const startedAt = performance.now();
        await studio.call("list_posts", { limit: 5 });
        times.push(performance.now() - startedAt);
        await sleep(5);
      }
    };
    try {
      await Promise.all([uploadFromQueue(), uploadFromQueue(), measureOtherCalls()]);
    } finally {
      queue.length = 0;
    }
    return { p99: getPercentile(times, 99), slowestMs, storedCount };
  }

  test("many mutated videos: the service survives, each result comes within a second, and other calls stay fast (U14, U15)", async (t) => {
    const all = await createMutatedVideos();
    const files = isLongRun ? all : all.filter((_, i) => i < 20 || i % 40 === 0);
    assert.ok(files.length >= (isLongRun ? 1500 : 130), `${files.length} files`);
    const formats = ["mp4", "mp4, moov last", "mov", "webm"] as const;
    const intactVideos = await Promise.all(
      formats.map(async (name) => ({ name, mimeType: mimeTypeOf(name), bytes: await muxVideo(name) })),
    );
    const intactFiles = Array.from({ length: 200 }, (_, i) => intactVideos[i % intactVideos.length]!);
    await uploadAndMeasure(intactFiles.slice(0, 50));
    const memoryBefore = service.main.getMemoryBytes();
    const intactBefore = await uploadAndMeasure(intactFiles);
    // The better of two rounds, so that other load on this machine does not count against the videos.
    const rounds = [await uploadAndMeasure(files), await uploadAndMeasure(files)] as const;
    const [hostile] = rounds.toSorted((a, b) => a.p99 - b.p99);
    assert.ok(hostile);
    const growthMb = (service.main.getMemoryBytes() - memoryBefore) / mebibyte;
    const [intact] = [intactBefore, await uploadAndMeasure(intactFiles)].toSorted((a, b) => b.p99 - a.p99);
    assert.ok(intact);
    t.diagnostic(
      `${files.length} files, ${hostile.storedCount} stored, slowest ${hostile.slowestMs.toFixed(0)} ms (intact: ${intact.slowestMs.toFixed(0)}); ` +
        `p99 of other calls ${hostile.p99.toFixed(1)} ms (with intact videos: ${intact.p99.toFixed(1)}); memory +${growthMb.toFixed(0)} MB`,
    );
    assert.ok(
      hostile.storedCount >= files.length * 0.9,
      "nearly all files pass the content check and reach the metadata reader",
    );
    // At most twice as slow, plus noise of a busy machine.
    assert.ok(
      hostile.p99 < intact.p99 * 2 + 25,
      `${intact.p99} ms with intact videos, ${hostile.p99} ms with hostile ones`,
    );
    assert.ok(growthMb < maxGrowthMb, `memory grew by ${growthMb} MB`);
  });

  for (const [name, upload] of Object.entries(uploadMethods).slice(1)) {
    test(`hostile videos by ${name}: the service survives, and each result comes within a second (U14, U15)`, async (t) => {
      const all = await createMutatedVideos();
      const step = isLongRun ? 10 : 120;
      const files = all.filter((_, i) => i < 20 || i % step === 0);
      let slowestMs = 0;
      for (const file of files) slowestMs = Math.max(slowestMs, (await measureUpload(upload, file)).ms);
      t.diagnostic(`${files.length} files, slowest ${slowestMs.toFixed(0)} ms`);
    });
  }

  test("completing a hostile file through an upload link again after a restart returns the same result (U15)", async () => {
    const fileIds: string[] = [];
    for (const attack of createKnownAttacks())
      fileIds.push(await linkClient.sendParts({ ...attack, name: `restarted ${attack.name}` }));
    for (let round = 0; round < 2; round++) {
      await service.main.kill();
      await service.start();
      for (const fileId of fileIds) {
        const startedAt = performance.now();
        const { status, body } = await linkClient.complete(fileId);
        assert.equal(status, 200, JSON.stringify(body));
        const ms = performance.now() - startedAt;
        assert.ok(ms < 4 * maxMs, `${ms} ms`); // a service that has just started is slower, and CI machines are busy
      }
      assert.ok(!service.hasExited);
    }
    const { assets } = await studio.call<{ assets: { filename: string; status: string }[] }>("get_post", { postId });
    const assetsAfterRestart = assets.filter(({ filename }) => filename.startsWith("restarted"));
    assert.deepEqual(
      assetsAfterRestart.map(({ status }) => status),
      createKnownAttacks().map(() => "ready"),
    );
  });
});
