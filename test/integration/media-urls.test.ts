import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { createMediaTokens } from "#http/files/media-tokens.ts";
import { createSigner, tokenPurposes } from "#lib/signed-token.ts";
import { minutes } from "#lib/clock.ts";
import { createTestClock } from "../support/clock.ts";
import { createDeps, forOneEngine } from "../support/engines.ts";
import { startService, type RunningService } from "../support/service.ts";
import { jpeg } from "../support/samples.ts";
import { forEachStoreAndEngine, startAssetService } from "../support/asset-fixture.ts";
import { toChunks } from "../support/stores.ts";

const secret = "a test secret that is long enough";

forOneEngine("URLs from which platforms fetch media", (fixture) => {
  const clock = createTestClock();
  let service: RunningService;
  let content: Buffer;
  let url: string;
  const file = { storageKey: "files/media-1", mimeType: "image/jpeg", filename: "Secret wedding.JPG" };

  before(async () => {
    service = await startService({ ...createDeps(fixture.database, clock), clock });
    content = await jpeg(400, 300);
    await store(file.storageKey, content);
    url = createUrl(file);
  });
  after(() => service?.close());

  const store = (key: string, bytes: Buffer) =>
    service.deps.files.write(key, toChunks(bytes), { mimeType: "image/jpeg", maxBytes: 2 ** 20 });
  const createUrl = (target: typeof file, signer = createSigner([secret], clock)): string =>
    createMediaTokens(signer, service.base, clock).createUrl(target);
  const readToken = (mediaUrl: string): string => mediaUrl.split("/files/media/")[1] ?? "";
  const read = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

  test("serves exactly one file, without a cookie, its name or sniffing, with its type (PUB-25, U12)", async () => {
    const response = await fetch(url);
    assert.deepEqual([response.status, await read(response)], [200, content]);
    const { headers } = response;
    assert.deepEqual(
      ["content-type", "content-length", "accept-ranges", "x-content-type-options", "set-cookie"].map((name) =>
        headers.get(name),
      ),
      ["image/jpeg", String(content.length), "bytes", "nosniff", null],
    );
    assert.match(headers.get("content-security-policy") ?? "", /sandbox; default-src 'none'/);
    const head = await fetch(url, { method: "HEAD" });
    assert.deepEqual(
      [head.status, head.headers.get("content-length"), (await read(head)).length],
      [200, String(content.length), 0],
    );
    const claims = Buffer.from(readToken(url).split(".")[0] ?? "", "base64url").toString();
    assert.doesNotMatch(claims, /wedding/i);
    assert.match(headers.get("content-disposition") ?? "", /media\.jpg/);
  });

  test("expires after an hour (PUB-25, U1)", async () => {
    const shortLived = createUrl(file);
    clock.advance(minutes(60) - 1);
    assert.equal((await fetch(shortLived)).status, 200);
    clock.advance(1);
    const response = await fetch(shortLived);
    const { code } = (await response.json()) as { code: string };
    assert.deepEqual([response.status, code], [404, "not_found"]);
    url = createUrl(file);
  });

  test("rejects forged, changed and truncated tokens, and those of other purposes, in the same way (PUB-25, U1, T11)", async () => {
    const token = readToken(url);
    const [body = "", signature = ""] = token.split(".");
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signer = createSigner([secret], clock);
    const forged = [
      ...["", body, `${body}.${signature.slice(0, -1)}`, `${token}/../../healthz`, `${token}?x=1`, `${token}%00`],
      `${encode({ ...claims, key: "files/other" })}.${signature}`,
      readToken(createUrl(file, createSigner([`another ${secret}`], clock))),
      ...tokenPurposes
        .filter((purpose) => purpose !== "media")
        .map((purpose) => signer.sign(purpose, claims, clock() + minutes(5))),
    ];
    for (const candidate of forged) {
      const response = await fetch(`${service.base}/files/media/${candidate}`, { redirect: "manual" });
      const text = await response.text();
      assert.equal(response.status, 404, candidate);
      assert.ok(!text.includes("files/media-1"), candidate);
    }
  });

  test("grants no access to other routes, and accepts no other methods (T11)", async () => {
    const token = readToken(url);
    assert.equal((await fetch(`${service.base}/files/thumb/${token}`)).status, 404);
    assert.equal((await fetch(`${service.base}/u/${token}`)).status, 403);
    const headers = { "upload-token": token };
    assert.equal((await fetch(`${service.base}/api/uploads/session`, { headers })).status, 403);
    for (const method of ["PUT", "POST", "DELETE", "PATCH"])
      assert.equal((await fetch(url, { method })).status, 404, method);
    assert.deepEqual(await read(await fetch(url)), content);
  });
});

forEachStoreAndEngine("URLs from which platforms fetch media", (fixture, store) => {
  test("serves a file of this store, and a range of it, at a URL of this server, until it is deleted (PUB-25, U18, T11)", async () => {
    const service = await startAssetService(fixture, store);
    try {
      const content = await jpeg(400, 300);
      const storageKey = `files/${randomBytes(8).toString("hex")}`;
      const options = { mimeType: "image/jpeg", maxBytes: 2 ** 20 };
      await service.deps.files.write(storageKey, toChunks(content), options);
      const { signer, clock } = service.deps;
      const tokens = createMediaTokens(signer, service.base, clock);
      const url = tokens.createUrl({ storageKey, mimeType: "image/jpeg", filename: "vase.jpg" });
      const whole = await fetch(url);
      const bytes = Buffer.from(await whole.arrayBuffer());
      assert.deepEqual([whole.status, whole.headers.get("content-type"), bytes], [200, "image/jpeg", content]);
      const part = await fetch(url, { headers: { range: "bytes=5-24" } });
      assert.deepEqual([part.status, Buffer.from(await part.arrayBuffer())], [206, content.subarray(5, 25)]);
      const etag = whole.headers.get("etag") ?? "";
      assert.match(etag, /^"[^"]+"$/);
      assert.equal((await fetch(url, { headers: { "if-none-match": etag } })).status, 304);
      await service.deps.files.remove(storageKey);
      assert.equal((await fetch(url)).status, 404);
    } finally {
      await service.close();
    }
  });
});
