import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { useServiceProcess } from "../support/service-process.ts";
import { waitUntil } from "../support/wait-until.ts";

const maxDescriptors = 256;
const clientCount = 500;

describe("more clients than file descriptors", () => {
  const service = useServiceProcess(() => ({
    wrapper: ["sh", "-c", `ulimit -n ${maxDescriptors} && exec "$@"`, "sh"],
  }));

  test("some clients wait or are rejected, the process survives, and it serves again after they disconnect (X6)", async (t) => {
    const { base, main, studio } = service;
    const post = await studio.call("create_post", { title: "Stored", body: "" });
    const sockets: Socket[] = [];
    for (let i = 0; i < clientCount; i++) {
      const socket = connect(Number(new URL(base).port), "127.0.0.1");
      socket.on("error", () => {});
      sockets.push(socket);
    }
    await Promise.all(
      sockets.map((socket) => Promise.race([once(socket, "connect"), once(socket, "close"), sleep(3000)])),
    );
    await waitUntil(() => main.countDescriptors() > maxDescriptors - 20, {
      description: "the clients use almost all descriptors",
    });
    const file = { kind: "document", mimeType: "text/plain", base64: "aGVsbG8=" };
    const attempts = Array.from({ length: 20 }, () =>
      Promise.race([studio.call("upload_asset_inline", file).then(() => "ok"), sleep(3000, "no response")]).catch(
        () => "rejected",
      ),
    );
    const outcomes = await Promise.all(attempts);
    t.diagnostic(
      `during the overload: ${outcomes.filter((outcome) => outcome === "ok").length} of ${outcomes.length} served`,
    );
    for (const socket of sockets) socket.destroy();

    const isServed = (): Promise<boolean> =>
      studio.call("upload_asset_inline", file).then(
        () => true,
        () => false,
      );
    await waitUntil(isServed, { timeoutMs: 5000, intervalMs: 100, description: "served again" });
    assert.equal((await studio.call("get_post", { postId: post.id })).title, "Stored");
    assert.equal((await fetch(`${base}/readyz`)).status, 200);
    await waitUntil(() => main.countDescriptors() < maxDescriptors / 2, { description: "no descriptor leaks" });
  });
});
