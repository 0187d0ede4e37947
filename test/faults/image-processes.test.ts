import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { isRunning, listProcessTree, signalAll } from "../support/process-tree.ts";
import { jpeg } from "../support/samples.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";
import { createTempFolder } from "../support/temp-folder.ts";

describe("image processes", { timeout: 600_000 }, () => {
  const folder = createTempFolder();
  let service: MainProcess;
  let attacker: StudioClient;
  let other: StudioClient;

  before(async () => {
    const base = await findFreeBaseUrl();
    service = await startMain({
      PORT: new URL(base).port,
      BASE_URL: base,
      DATA_DIR: `${folder.path}/data`,
      RATE_LIMITS: "off",
    });
    attacker = await newStudioClient(base, "attacker@example.com");
    other = await newStudioClient(base, "other@example.com");
  });
  after(async () => {
    await service?.kill();
    folder.remove();
  });

  /** Uploads an image and returns the URL of its thumbnail, which is created by the first request. */
  async function uploadImage(studio: StudioClient): Promise<string> {
    const base64 = (await jpeg()).toString("base64");
    const { assetId } = await studio.call("upload_asset_inline", { kind: "image", mimeType: "image/jpeg", base64 });
    return (await studio.call("get_asset", { assetId, includeUrls: true })).thumbnailUrl;
  }

  const fetchStatus = async (url: string): Promise<number> => (await fetch(url)).status;
  const listImageProcesses = (): number[] => listProcessTree(service.pid).filter((pid) => pid !== service.pid);

  test("the server process never loads the decoder, neither for an upload nor for a thumbnail (U15, F6)", async () => {
    assert.equal(await fetchStatus(await uploadImage(attacker)), 200);
    assert.ok(!/libvips|sharp/.test(readFileSync(`/proc/${service.pid}/maps`, "utf8")));
    assert.equal(listImageProcesses().length, 1);
  });

  test("images of one studio that never end don't delay another studio, and end with the server (C4, F6)", async () => {
    // Stopped processes, in place of images that take longer than this test.
    const pendingStatuses: Promise<number | undefined>[] = [];
    for (let i = 0; i < 2; i++) {
      assert.equal(await fetchStatus(await uploadImage(attacker)), 200);
      signalAll(listImageProcesses(), "SIGSTOP");
      pendingStatuses.push(fetchStatus(await uploadImage(attacker)).catch(() => undefined));
    }
    assert.equal(await fetchStatus(await uploadImage(other)), 200);
    const imageProcesses = listImageProcesses();
    service.terminate();
    assert.equal(await service.exited, 0);
    assert.doesNotMatch(service.getOutput(), /shutdown timeout reached/);
    assert.deepEqual(imageProcesses.filter(isRunning), []);
    assert.deepEqual(await Promise.all(pendingStatuses), [404, 404]);
  });
});
