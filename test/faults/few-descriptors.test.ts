import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";

const descriptors = 256;
const clients = 500;

describe("more clients than the process may have descriptors", () => {
  const folder = createTempFolder();
  let base: string;
  let service: MainProcess;
  let studio: StudioClient;

  before(async () => {
    base = await findFreeBaseUrl();
    const env = { PORT: new URL(base).port, BASE_URL: base, DATA_DIR: `${folder.path}/data`, RATE_LIMITS: "off" };
    service = await startMain(env, ["bash", "-c", `ulimit -n ${descriptors} && exec "$@"`, "bash"]);
    studio = await newStudioClient(base);
  });
  after(async () => {
    await service?.kill();
    folder.remove();
  });

  test("some wait or are turned away, the process lives, and all is well once they have gone (X6)", async (t) => {
    const post = await studio.call("create_post", { title: "Kept", body: "" });
    const sockets: Socket[] = [];
    for (let i = 0; i < clients; i++) {
      const socket = connect(Number(new URL(base).port), "127.0.0.1");
      socket.on("error", () => {});
      sockets.push(socket);
    }
    await Promise.all(
      sockets.map((socket) => Promise.race([once(socket, "connect"), once(socket, "close"), sleep(3000)])),
    );
    assert.ok(service.countDescriptors() <= descriptors);
    const work = { kind: "document", mimeType: "text/plain", base64: "aGVsbG8=" };
    const tries = Array.from({ length: 20 }, () =>
      Promise.race([studio.call("upload_asset_inline", work).then(() => "ok"), sleep(3000, "no answer")]).catch(
        () => "refused",
      ),
    );
    const outcomes = await Promise.all(tries);
    t.diagnostic(`in the crowd: ${outcomes.filter((one) => one === "ok").length} of ${outcomes.length} served`);
    for (const socket of sockets) socket.destroy();

    const freed = performance.now();
    for (;;) {
      const ok = await studio.call("upload_asset_inline", work).then(
        () => true,
        () => false,
      );
      if (ok) break;
      assert.ok(performance.now() - freed < 5000, "served again within 5 s");
      await sleep(100);
    }
    assert.equal((await studio.call("get_post", { postId: post.id })).title, "Kept");
    assert.equal((await fetch(`${base}/readyz`)).status, 200);
    assert.ok(service.countDescriptors() < descriptors / 2, "nothing is held on to");
  });
});
