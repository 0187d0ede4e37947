import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { before, test } from "node:test";
import type { AssetKind } from "#domain/model/asset-kinds.ts";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { attachFile, importAssetFromUrl } from "#domain/assets/import-file.ts";
import { maxConcurrentImports } from "#domain/model/import-slots.ts";
import { createAssetSweeper } from "#domain/jobs/sweep-files.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { hours } from "#lib/clock.ts";
import { isPublicAddress } from "#lib/ip-address.ts";
import type { PublicUrlOpener } from "#lib/public-fetch.ts";
import { untilDone } from "../support/batch-options.ts";
import { forEachEngine, forOneEngine } from "../support/engines.ts";
import { createHookedFiles, type HookedFiles } from "../support/hooked-files.ts";
import { getOutcome } from "../support/outcome.ts";
import { newMember, newStudio } from "../support/users.ts";
import { jpeg, mp4, office, pdf, png, zip } from "../support/samples.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { startWebHost } from "../support/web-host.ts";

forOneEngine("asset imports", (fixture) => {
  const host = startForSuite(() => startWebHost());
  let deps: Deps;
  let files: HookedFiles;
  let owner: Caller;
  before(async () => {
    files = createHookedFiles(fixture.clock);
    deps = { ...fixture.deps, files, openUrl: host.createOpener(), limits: { ...fixture.deps.limits, image: 100_000 } };
    owner = await newStudio(deps);
  });

  const importFile = (
    url: string,
    input: { kind?: AssetKind; filename?: string; postId?: string; idempotencyKey?: string } = {},
    openUrl?: PublicUrlOpener,
  ) => importAssetFromUrl(openUrl ? { ...deps, openUrl } : deps, owner, { url, ...input });
  const findAsset = async (assetId: string) => {
    const asset = await deps.assets.find(owner.studio.id, assetId);
    assert.ok(asset);
    return asset;
  };

  test("attaches the file to a post; a retry returns the first result and changes nothing (CHEAP-4)", async () => {
    host.serveFile("/attached.jpg", await jpeg(), "image/jpeg");
    const { id: postId } = await createPost(deps, owner, { title: "A post", body: "" });
    const input = { postId, idempotencyKey: "attached" };
    const { assetId } = await importFile(host.url("/attached.jpg"), input);
    assert.equal((await findAsset(assetId)).postId, postId);
    await detachAsset(deps, owner, { postId, assetId });
    assert.equal((await importFile(host.url("/attached.jpg"), input)).assetId, assetId);
    assert.equal((await findAsset(assetId)).postId, null, "a retry does not attach the asset again");
    assert.equal(host.requestCounts.get("/attached.jpg"), 1);
    await attachAsset(deps, owner, { postId, assetId });

    const oneAssetDeps = { ...deps, limits: { ...deps.limits, assetsPerPost: 1 } };
    const importInto = (target: object) =>
      getOutcome(importAssetFromUrl(oneAssetDeps, owner, { url: host.url("/attached.jpg"), ...target }));
    assert.equal(await importInto(input), "ok", "a retry returns the first result, although the post is full now");
    assert.equal(await importInto({ postId }), "asset_limit_reached");
    for (const unknownId of [deps.newId("post"), "pst_wrong"])
      assert.equal(await importInto({ postId: unknownId }), "not_found");
    assert.equal(host.requestCounts.get("/attached.jpg"), 1, "nothing is fetched for a post that can't take the file");
  });

  test("stores and charges nothing if the post is deleted or full once the file is fetched (ASSET-15)", async () => {
    const image = await jpeg();
    host.serveFile("/first.jpg", image, "image/jpeg");
    const oneAssetDeps = { ...deps, limits: { ...deps.limits, assetsPerPost: 1 } };
    const verbs = {
      import_asset_from_url: (url: string, postId: string) =>
        importAssetFromUrl(oneAssetDeps, owner, { url, postId, idempotencyKey: postId }),
      attach_file: (url: string, postId: string) =>
        attachFile(oneAssetDeps, owner, { postId, file: { download_url: url, file_id: "file-1" } }),
    };
    const readState = async () => ({
      usedBytes: await deps.assets.getUsedBytes(owner.studio.id),
      assets: (await deps.assets.list(owner.studio.id, { limit: 1000 })).length,
      files: (await files.keys()).length,
    });
    for (const [name, run] of Object.entries(verbs)) {
      const { assetId } = await importFile(host.url("/first.jpg"));
      const changes = {
        not_found: (postId: string) => deletePost(deps, owner, { postId }),
        asset_limit_reached: (postId: string) => attachAsset(deps, owner, { postId, assetId }),
      };
      const stateBefore = await readState();
      for (const [outcome, change] of Object.entries(changes)) {
        const { id: postId } = await createPost(deps, owner, { title: "A post", body: "" });
        host.serve(`/${postId}.jpg`, (_req: unknown, res: ServerResponse) => {
          void change(postId).then(() => res.writeHead(200, { "content-type": "image/jpeg" }).end(image));
        });
        assert.equal(await getOutcome(run(host.url(`/${postId}.jpg`), postId)), outcome, name);
        assert.deepEqual(await readState(), stateBefore, `${name}, ${outcome}`);
      }
    }
  });

  test("creates a ready asset with the kind and type from the response header, the bytes or the file name (ASSET-15)", async () => {
    const image = await jpeg();
    const docx = office("word");
    const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    for (const [path, content, type, kind, mimeType, filename] of [
      ["/a/team.jpg", image, "image/jpeg", "image", "image/jpeg", "team.jpg"],
      ["/raw", image, "application/octet-stream", "image", "image/jpeg", "raw"],
      ["/none", await png(), undefined, "image", "image/png", "none"],
      ["/clip", mp4(), "video/mp4; codecs=x", "video", "video/mp4", "clip"],
      ["/paper.pdf", pdf, "application/pdf", "document", "application/pdf", "paper.pdf"],
      ["/notes.md", Buffer.from("# Notes"), "text/plain; charset=utf-8", "document", "text/markdown", "notes.md"],
      ["/table.csv", Buffer.from("a,b"), "application/octet-stream", "document", "text/csv", "table.csv"],
      ["/", Buffer.from("hello"), "text/plain", "document", "text/plain", "document.txt"],
      ["/%2e%2e%2fx%00.txt", Buffer.from("hello"), "text/plain", "document", "text/plain", "x.txt"],
      ["/jpg", image, "image/jpg", "image", "image/jpeg", "jpg"],
      ["/letter", docx, "application/octet-stream", "document", docxType, "letter"],
    ] as const) {
      host.serveFile(path, content, type);
      const { assetId, bytes } = await importFile(host.url(path));
      const asset = await findAsset(assetId);
      assert.deepEqual(
        [bytes, asset.kind, asset.mimeType, asset.filename, asset.status, asset.postId],
        [content.length, kind, mimeType, filename, "ready", null],
      );
      assert.ok((await files.readContent(asset.storageKey ?? ""))?.equals(content));
    }
  });

  test("applies the content check of uploads to imports, and stores no file for a rejected import (ASSET-15)", async () => {
    const fileCount = (await files.keys()).length;
    const html = Buffer.from("<!doctype html><p>hello");
    for (const [path, content, type, outcome] of [
      ["/page", html, "text/html", "unsupported_type"],
      ["/lie.jpg", html, "image/jpeg", "type_mismatch"],
      ["/other.jpg", await png(), "image/jpeg", "type_mismatch"],
      ["/a.zip", zip({ a: "b" }), "application/octet-stream", "unsupported_type"],
      ["/svg.txt", Buffer.from("<svg onload=alert(1)>"), "text/plain", "type_mismatch"],
      ["/empty", Buffer.alloc(0), "image/png", "invalid_input"],
    ] as const) {
      host.serveFile(path, content, type);
      assert.equal(await getOutcome(importFile(host.url(path))), outcome, path);
    }
    host.serveFile("/video", mp4(), "video/mp4");
    assert.equal(await getOutcome(importFile(host.url("/video"), { kind: "image" })), "unsupported_type");
    assert.equal((await files.keys()).length, fileCount);
  });

  test("rejects a file that is too large, with or without Content-Length, and stops reading early", async () => {
    const fileCount = (await files.keys()).length;
    let sentBytes = 0;
    host.serve("/declared", (_req, res) =>
      res.writeHead(200, { "content-type": "image/jpeg", "content-length": 10 ** 9 }).write(Buffer.alloc(10_000)),
    );
    host.serve("/undeclared", (_req, res) => {
      res.writeHead(200, { "content-type": "image/jpeg" });
      const writeChunks = (): void => {
        if (res.destroyed) return;
        sentBytes += 65_536;
        if (res.write(Buffer.alloc(65_536, 7))) setImmediate(writeChunks);
        else res.once("drain", writeChunks);
      };
      writeChunks();
    });
    assert.equal(await getOutcome(importFile(host.url("/declared"))), "too_large");
    assert.equal(await getOutcome(importFile(host.url("/undeclared"))), "too_large");
    assert.ok(sentBytes < 20_000_000, `${sentBytes} bytes were sent`);
    assert.equal((await files.keys()).length, fileCount);
  });

  test("blocks every URL except https to a public IP address, and sends no request there (ASSET-15, A19)", async () => {
    host.serveFile("/x.png", await png(), "image/png");
    const openWithDefaultCheck = host.createOpener({ isAllowed: isPublicAddress });
    const httpsUrl = host.url("/x.png");
    const otherSchemes = ["ftp://files.test/x", "file:///etc/passwd", "data:image/png;base64,AAAA"];
    const withPassword = httpsUrl.replace("https://", "https://user:secret@");
    const blockedUrls = [httpsUrl.replace("https:", "http:"), withPassword, ...otherSchemes, "not a URL", ""];
    for (const url of blockedUrls)
      assert.equal(await getOutcome(importFile(url, {}, openWithDefaultCheck)), "url_blocked", url);
    const open = host.createOpener({
      isAllowed: isPublicAddress,
      resolve: async (name) => (name === "mixed.test" ? ["93.184.216.34", "10.0.0.1"] : ["127.0.0.1"]),
    });
    const privateAddresses = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "0x7f.1", "2130706433"];
    const privateIpv6Addresses = ["[::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]"];
    const internalHosts = [...privateAddresses, ...privateIpv6Addresses, "localhost", "mixed.test", "files.test"];
    for (const name of internalHosts)
      assert.equal(await getOutcome(importFile(`https://${name}/x.png`, {}, open)), "url_blocked", name);
    assert.equal(host.requestCounts.get("/x.png") ?? 0, 0);
  });

  test("follows at most five redirects and checks each target (ASSET-15)", async () => {
    host.serveFile("/end.png", await png(), "image/png");
    for (let i = 1; i <= 6; i++)
      host.serve(`/hop${i}`, (_req, res) =>
        res.writeHead(302, { location: i === 1 ? "/end.png" : `/hop${i - 1}` }).end(),
      );
    assert.equal(await getOutcome(importFile(host.url("/hop5"))), "ok");
    assert.equal(await getOutcome(importFile(host.url("/hop6"))), "url_unreachable");
    const open = host.createOpener({ resolve: async (name) => (name === "other.test" ? ["10.0.0.1"] : ["127.0.0.1"]) });
    host.serve("/internal", (_req, res) => res.writeHead(302, { location: host.url("/end.png", "other.test") }).end());
    host.serve("/plain", (_req, res) =>
      res.writeHead(302, { location: host.url("/end.png").replace("https:", "http:") }).end(),
    );
    host.serve("/file", (_req, res) => res.writeHead(302, { location: "file:///etc/passwd" }).end());
    for (const path of ["/internal", "/plain", "/file"])
      assert.equal(await getOutcome(importFile(host.url(path), {}, open)), "url_blocked", path);
  });

  test("resolves the host name once, so that a later DNS change has no effect", async () => {
    host.serveFile("/pinned.png", await png(), "image/png");
    let lookups = 0;
    const open = host.createOpener({ resolve: async () => (++lookups === 1 ? ["127.0.0.1"] : ["10.0.0.1"]) });
    assert.equal(await getOutcome(importFile(host.url("/pinned.png"), {}, open)), "ok");
    assert.equal(lookups, 1);
  });

  test("rejects with url_unreachable if the server fails, disconnects early or stalls (ASSET-15)", async () => {
    const fileCount = (await files.keys()).length;
    host.serve("/500", (_req, res) => res.writeHead(500).end());
    host.serve("/cut", (_req, res) => {
      res.writeHead(200, { "content-type": "image/jpeg", "content-length": 50_000 });
      res.write(Buffer.alloc(20_000, 1), () => res.destroy());
    });
    host.serve("/silent", () => {});
    host.serve("/stalled", (_req, res) => {
      res.writeHead(200, { "content-type": "image/jpeg" });
      res.write(Buffer.alloc(20_000, 1));
    });
    const open = host.createOpener({ timeoutMs: 300 });
    for (const path of ["/500", "/404", "/cut", "/silent", "/stalled"])
      assert.equal(await getOutcome(importFile(host.url(path), {}, open)), "url_unreachable", path);
    const openUnknown = host.createOpener({ resolve: () => Promise.reject(new Error("ENOTFOUND")) });
    assert.equal(await getOutcome(importFile("https://unknown.test/", {}, openUnknown)), "url_unreachable");
    assert.equal((await files.keys()).length, fileCount);
  });

  test("stops an import when its call is canceled (M14)", async () => {
    const cancellation = new AbortController();
    host.serve("/forever", (_req, res) => {
      res.writeHead(200, { "content-type": "image/jpeg" });
      res.write(Buffer.alloc(100, 7), () => cancellation.abort());
    });
    const openUrl = host.createOpener({ timeoutMs: hours(1) });
    const options = { getSignal: () => cancellation.signal };
    await assert.rejects(importAssetFromUrl({ ...deps, openUrl }, owner, { url: host.url("/forever") }, options));
  });

  test("limits concurrent imports per user and per studio, and releases the slot after success, failure and cancellation (X1)", async () => {
    const studioOwner = await newStudio(deps);
    const others = await Promise.all([1, 2, 3].map(() => newMember(deps, studioOwner, "member")));
    const openResponses: ServerResponse[] = [];
    host.serve("/slow.png", (_req, res) => {
      openResponses.push(res.writeHead(200, { "content-type": "image/png" }));
      res.write(image.subarray(0, 8));
    });
    const image = await png();
    host.serveFile("/quick.png", image, "image/png");
    const cancellation = new AbortController();
    const start = (caller: Caller, path: string) =>
      getOutcome(importAssetFromUrl(deps, caller, { url: host.url(path) }, { getSignal: () => cancellation.signal }));
    const outcomes: string[] = [];
    const startSlow = (caller: Caller, count: number) =>
      Array.from({ length: count }, async () => void outcomes.push(await start(caller, "/slow.png")));

    const ownImports = startSlow(studioOwner, maxConcurrentImports.user);
    await waitUntil(() => openResponses.length === maxConcurrentImports.user);
    assert.equal(await start(studioOwner, "/quick.png"), "rate_limited", "the user's limit");
    const otherImports = others.slice(0, 2).flatMap((other) => startSlow(other, maxConcurrentImports.user));
    await waitUntil(() => openResponses.length === maxConcurrentImports.studio);
    assert.equal(await start(others[2]!, "/quick.png"), "rate_limited", "the studio's limit");
    assert.equal(await start(studioOwner, "/missing.png"), "rate_limited", "rejected before any request");
    assert.equal(await getOutcome(importFile(host.url("/quick.png"))), "ok", "other studios are not affected");

    openResponses[0]!.end(image.subarray(8));
    openResponses[1]!.destroy();
    await waitUntil(() => outcomes.length === 2);
    assert.deepEqual(outcomes.toSorted(), ["ok", "url_unreachable"]);
    assert.equal(await start(studioOwner, "/quick.png"), "ok");
    cancellation.abort();
    await Promise.all([...ownImports, ...otherImports]);
    assert.equal(await getOutcome(importAssetFromUrl(deps, others[2]!, { url: host.url("/quick.png") })), "ok");
  });

  test("reserves the import slot before it resolves the host name, and releases the slot when the lookup fails (X1)", async () => {
    const newOwner = await newStudio(deps);
    const lookups: ((error: Error) => void)[] = [];
    const openUrl = host.createOpener({ resolve: () => new Promise((_resolve, reject) => lookups.push(reject)) });
    const start = () => getOutcome(importAssetFromUrl({ ...deps, openUrl }, newOwner, { url: host.url("/quick.png") }));

    const pending = Array.from({ length: maxConcurrentImports.user }, start);
    await waitUntil(() => lookups.length === maxConcurrentImports.user);
    assert.equal(await start(), "rate_limited");
    assert.equal(lookups.length, maxConcurrentImports.user, "a rejected import looks up no name");
    for (const reject of lookups.splice(0)) reject(new Error("no such name"));
    assert.deepEqual(new Set(await Promise.all(pending)), new Set(["url_unreachable"]));

    const next = start();
    await waitUntil(() => lookups.length === 1);
    lookups[0]?.(new Error("no such name"));
    assert.equal(await next, "url_unreachable");
  });

  test("streams a large file: the store receives the bytes while the server sends them", async () => {
    const chunk = randomBytes(1024 * 1024);
    chunk[0] = 0;
    const chunkCount = 64;
    let [sentChunks, receivedBytes, maxBufferedBytes] = [0, 0, 0];
    host.serve("/large", (_req, res) => {
      res.writeHead(200, { "content-type": "video/mp4" });
      const writeChunks = (): void => {
        while (sentChunks < chunkCount) {
          sentChunks++;
          if (!res.write(chunk)) return void res.once("drain", writeChunks);
        }
        res.end();
      };
      writeChunks();
    });
    async function* measure(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const part of body) {
        receivedBytes += part.length;
        maxBufferedBytes = Math.max(maxBufferedBytes, sentChunks * chunk.length - receivedBytes);
        yield part;
      }
    }
    const measuredFiles: Deps["files"] = {
      ...files,
      write: (key, body, options) => files.write(key, measure(body), options),
    };
    await importAssetFromUrl({ ...deps, files: measuredFiles }, owner, { url: host.url("/large") });
    assert.equal(receivedBytes, chunkCount * chunk.length);
    assert.ok(maxBufferedBytes < 32 * 1024 * 1024, `${maxBufferedBytes} bytes between the web host and the store`);
  });
});

forEachEngine("asset imports with an idempotency key", (fixture) => {
  const host = startForSuite(() => startWebHost());
  let deps: Deps;
  let files: HookedFiles;
  let owner: Caller;
  before(async () => {
    files = createHookedFiles(fixture.clock);
    deps = { ...fixture.deps, files, openUrl: host.createOpener() };
    owner = await newStudio(deps);
  });

  const importFile = (url: string, idempotencyKey: string) => importAssetFromUrl(deps, owner, { url, idempotencyKey });

  test("creates one asset for sequential or parallel calls with the same idempotency key, and rejects other input (ASSET-16, R4)", async () => {
    host.serveFile("/once.png", await png(), "image/png");
    const fileCount = (await files.keys()).length;
    const calls = Array.from({ length: 5 }, () => importFile(host.url("/once.png"), "k1"));
    const results = await Promise.all(calls);
    assert.equal(new Set(results.map(({ assetId }) => assetId)).size, 1);
    const requestCount = host.requestCounts.get("/once.png");
    assert.deepEqual(await importFile(host.url("/once.png"), "k1"), results[0]);
    assert.equal(host.requestCounts.get("/once.png"), requestCount, "a repeated call sends no new request");
    assert.equal((await files.keys()).length, fileCount + 1);
    assert.equal(await getOutcome(importFile(host.url("/once.png?"), "k1")), "idempotency_conflict");
  });

  test("creates one asset if a call is retried after a crash between writing the file and its record, and sweeps the first file (C2)", async () => {
    host.serveFile("/crash.png", await png(), "image/png");
    const fileCount = (await files.keys()).length;
    const crashingDeps: Deps = {
      ...deps,
      transact: () => Promise.reject(new Error("killed")),
      files: { ...files, remove: () => Promise.reject(new Error("killed")) },
    };
    const input = { url: host.url("/crash.png"), idempotencyKey: "k2" };
    await assert.rejects(importAssetFromUrl(crashingDeps, owner, input), /killed/);
    await importFile(host.url("/crash.png"), "k2");
    fixture.clock.advance(hours(2));
    await createAssetSweeper(deps)(untilDone);
    assert.equal((await files.keys()).length, fileCount + 1);
  });
});
