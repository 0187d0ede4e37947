import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { startFileServer } from "../../test/support/file-server.ts";

/** A child process that accepts PUTs: the disk store behind the HTTP entry point, or a bare Node server. */

const [kind, folder = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const createUrl = kind === "ours" ? await startOurs() : await startBare();

process.on("message", (request) => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  if (request === "peak") process.send?.(maxRSS / 1024);
  else if (request === "cpu") process.send?.((userCPUTime + systemCPUTime) / 1_000_000);
  else void createUrl().then((url) => process.send?.(url));
});
process.send?.("ready");

async function startOurs(): Promise<() => Promise<string>> {
  const { store } = await startFileServer({ root: join(folder, "files") });
  let round = 0;
  return async () => {
    await store.remove(`incoming/${round++}`); // between rounds, so it is not measured
    return store.createUploadUrl(`incoming/${round}`, { maxBytes: 2 ** 40, expiresAt: Date.now() + 3_600_000 });
  };
}

async function startBare(): Promise<() => Promise<string>> {
  let round = 0;
  const currentFile = () => join(folder, `bare-${round}.bin`);
  const server = createServer((req, res) => void receive(req, res)).listen(0, "127.0.0.1");
  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const hash = createHash("sha256");
    req.on("data", (chunk: Buffer) => hash.update(chunk));
    await pipeline(req, createWriteStream(currentFile(), { flush: true }));
    res.end(hash.digest("hex"));
  }
  await once(server, "listening");
  return async () => {
    await rm(currentFile(), { force: true });
    round++;
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
}
