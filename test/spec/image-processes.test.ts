import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import sharp from "sharp";
import { createBufferSource } from "#domain/ports/byte-source.ts";
import { createImageConverter } from "#media/image-converter.ts";
import { createSlowWebp } from "../support/animations.ts";
import { onExit } from "../support/at-exit.ts";
import { createImageRequest } from "../support/image-request.ts";
import { isRunning, listProcessTree, readCpuSeconds } from "../support/process-tree.ts";
import { waitUntil } from "../support/wait-until.ts";

const converter = createImageConverter({ timeoutMs: 120_000 });

/** Waits for a process that is certainly decoding: starting takes much less CPU time than this. */
async function waitForBusyProcess(pid: number): Promise<number> {
  const findBusyProcess = () => listProcessTree(pid).find((child) => child !== pid && readCpuSeconds(child) >= 1);
  await waitUntil(() => findBusyProcess() !== undefined, { timeoutMs: 300_000 });
  return findBusyProcess() ?? 0;
}

test("reads a file in pieces of at most 4 MiB, so that no large file is copied at once (U15, F6)", async () => {
  const side = 2000;
  const noise = sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } });
  const file = await noise.png({ compressionLevel: 0 }).toBuffer();
  const lengths: number[] = [];
  const read = async (start: number, end: number) => {
    const piece = file.subarray(start, end);
    lengths.push(piece.length);
    return piece;
  };
  const source = { bytes: file.length, read };
  const inspection = await converter.inspectImage(createImageRequest(randomUUID()), source);
  assert.ok(inspection && !("problem" in inspection));
  assert.ok(lengths.length > 1 && Math.max(...lengths) <= 4 * 2 ** 20, String(lengths));
  const stripped = await converter.createRendition(createImageRequest(randomUUID()), source, { kind: "strip" });
  assert.ok(stripped && "content" in stripped && file.equals(stripped.content));
});

test("passes on that the store failed, and opens the next image (S1)", async () => {
  const file = await sharp({ create: { width: 9, height: 9, channels: 3, background: "#888" } })
    .png()
    .toBuffer();
  const failing = { bytes: file.length, read: () => Promise.reject(new Error("store unavailable")) };
  await assert.rejects(converter.inspectImage(createImageRequest(randomUUID()), failing), /store unavailable/);
  assert.ok(await converter.inspectImage(createImageRequest(randomUUID()), createBufferSource(file)));
});

test("ends an image that needs too much CPU time, however long the image may take (U14, U15, F6)", async () => {
  const limited = createImageConverter({ maxProcesses: 1, maxCpuMs: 500, timeoutMs: 3_600_000 });
  const slowImage = createBufferSource(await createSlowWebp());
  assert.equal(await limited.createThumbnail(createImageRequest("slow"), slowImage), undefined);
});

test("a closed converter ends its processes, drops waiting images and opens no others (C4, F6)", async () => {
  const closing = createImageConverter({ maxProcesses: 1, maxCpuMs: 600_000, timeoutMs: 600_000 });
  const slowImage = createBufferSource(await createSlowWebp());
  const requests = ["first", "second"].map((key) => closing.createThumbnail(createImageRequest(key), slowImage));
  const pid = await waitForBusyProcess(process.pid);
  closing.close();
  assert.deepEqual(await Promise.all(requests), [undefined, undefined]);
  assert.equal(await closing.createThumbnail(createImageRequest("third"), slowImage), undefined);
  await waitUntil(() => !isRunning(pid));
});

test("a process that is decoding ends when the server is killed (C4, F6)", async () => {
  const program = join(import.meta.dirname, "../support/children/open-slow-image.ts");
  const server = spawn(process.execPath, [program], { stdio: "ignore" });
  const unregister = onExit(() => server.kill("SIGKILL"));
  const pid = await waitForBusyProcess(server.pid ?? 0);
  server.kill("SIGKILL");
  await once(server, "exit");
  unregister();
  await waitUntil(() => !isRunning(pid));
});
