import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { test } from "node:test";
import { onExit } from "../support/at-exit.ts";
import { createCertificate } from "../support/certificate.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain } from "../support/main-process.ts";
import { readDeployedSite, writeNginxConfig } from "../support/nginx-site.ts";
import { createModernRequest } from "../support/mcp.ts";
import { createOwner } from "../support/service-access.ts";
import { sha256 } from "../support/stores.ts";
import { findProgram, skipWithout } from "../support/find-program.ts";
import { findFreePort } from "../support/free-ports.ts";
import { waitUntil } from "../support/wait-until.ts";

const nginx = findProgram("nginx");

/** Sends one request over TLS, trusting only the certificate of this test. */
function send(
  ca: string,
  method: string,
  url: string,
  headers: Record<string, string> = {},
  body: Uint8Array | string = "",
): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const req = request(url, { method, headers, ca }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("end", () => resolve({ status: res.statusCode ?? 0, body: Buffer.concat(chunks) }));
    });
    req.on("error", reject);
    req.end(body);
  });
}

test(
  "nginx with deploy/nginx.conf forwards tool calls, large uploads and downloads",
  { skip: skipWithout("nginx") },
  async () => {
    const folder = createTempFolder();
    const { key, cert } = createCertificate(["localhost"]);
    writeFileSync(join(folder.path, "key.pem"), key);
    writeFileSync(join(folder.path, "cert.pem"), cert);
    const ports = { plain: await findFreePort(), secure: await findFreePort(), service: await findFreePort() };
    const base = `https://localhost:${ports.secure}`;
    const configPath = writeNginxConfig(folder.path, readDeployedSite(folder.path, ports));
    const nginxArgs = ["-c", configPath, "-p", folder.path];
    execFileSync(nginx ?? "", ["-t", "-q", ...nginxArgs], { stdio: "pipe" });

    const dataDir = join(folder.path, "data");
    const main = await startMain({
      BASE_URL: base,
      PORT: String(ports.service),
      DATA_DIR: dataDir,
      TRUST_PROXY: "loopback",
    });
    const proxy = spawn(nginx ?? "", nginxArgs, { stdio: "ignore" });
    const cancelKillOnExit = onExit(() => proxy.kill("SIGKILL"));
    try {
      await waitUntil(() =>
        send(cert, "GET", `${base}/readyz`).then(
          ({ status }) => status === 200,
          () => false,
        ),
      );
      assert.equal((await fetch(`http://localhost:${ports.plain}/x`, { redirect: "manual" })).status, 308);
      assert.equal(
        (await send(cert, "GET", `${base}/metrics`)).status,
        403,
        "metrics are not served through the proxy",
      );

      const { token } = await createOwner({ databaseUrl: undefined, dataDir }, base);
      const callTool = async <T>(name: string, args: object): Promise<T> => {
        const { headers, body: message } = createModernRequest({ token }, "tools/call", { name, arguments: args });
        const { body } = await send(cert, "POST", `${base}/mcp`, headers, message);
        return (JSON.parse(body.toString()) as { result: { structuredContent: T } }).result.structuredContent;
      };
      const content = Buffer.from(randomBytes(10_000_000).toString("hex"));
      const post = await callTool<{ id: string }>("create_post", { title: "A" });
      const type = { kind: "document", mimeType: "text/plain" };
      const uploadRequest = await callTool<{ assetId: string; uploadUrl: string }>("request_asset_upload", type);
      const { assetId, uploadUrl } = uploadRequest;
      assert.equal((await send(cert, "PUT", uploadUrl, {}, content)).status, 200);
      await callTool("attach_asset", { postId: post.id, assetId });
      const { url } = await callTool<{ url: string }>("get_asset", { assetId, includeUrls: true });
      assert.equal(sha256((await send(cert, "GET", url)).body), sha256(content));
      const inline = { ...type, base64: content.subarray(0, 5_000_000).toString("base64") };
      assert.equal((await callTool<{ bytes: number }>("upload_asset_inline", inline)).bytes, 5_000_000);
    } finally {
      cancelKillOnExit();
      proxy.kill();
      await main.kill();
      folder.remove();
    }
  },
);
