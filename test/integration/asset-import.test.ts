import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { AssetKind } from "#domain/assets/model/kinds.ts";
import { importAssetFromUrl } from "#domain/assets/import-asset-from-url.ts";
import { maxConcurrentImports } from "#domain/assets/lifecycle/import-slots.ts";
import { createAssetSweeper } from "#domain/assets/lifecycle/sweep-assets.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { hours } from "#lib/clock.ts";
import type { PublicUrlOpener } from "#lib/public-fetch.ts";
import { forEachEngine } from "../support/engines.ts";
import { createHookedFiles, type HookedFiles } from "../support/hooked-files.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newMember, newStudio } from "../support/users.ts";
import { jpeg, mp4, office, pdf, png, zip } from "../support/samples.ts";
import { startWebHost, type WebHost } from "../support/web-host.ts";

forEachEngine("importing", (fixture) => {
  let host: WebHost;
  let deps: Deps;
  let files: HookedFiles;
  let owner: Caller;
  before(async () => {
    host = await startWebHost();
    files = createHookedFiles(fixture.clock);
    deps = { ...fixture.deps, files, openUrl: host.createOpener(), limits: { ...fixture.deps.limits, image: 100_000 } };
    owner = await newStudio(deps);
  });
  after(() => host.close());

  const fetchFile = (
    url: string,
    input: { kind?: AssetKind; filename?: string; idempotencyKey?: string } = {},
    openUrl?: PublicUrlOpener,
  ) => importAssetFromUrl(openUrl ? { ...deps, openUrl } : deps, owner, { url, ...input });
  const found = async (assetId: string) => {
    const asset = await deps.assets.find(owner.studio.id, assetId);
    assert.ok(asset);
    return asset;
  };

  test("a file is fetched and ready, its kind and type told from what the server says, the bytes, or the name (ASSET-15)", async () => {
    const picture = await jpeg();
    const cases: [
      path: string,
      content: Buffer,
      type: string | undefined,
      kind: AssetKind,
      mimeType: string,
      filename: string,
    ][] = [
      ["/a/team.jpg", picture, "image/jpeg", "image", "image/jpeg", "team.jpg"],
      ["/raw", picture, "application/octet-stream", "image", "image/jpeg", "raw"],
      ["/none", await png(), undefined, "image", "image/png", "none"],
      ["/film", mp4(), "video/mp4; codecs=x", "video", "video/mp4", "film"],
      ["/paper.pdf", pdf, "application/pdf", "document", "application/pdf", "paper.pdf"],
      ["/notes.md", Buffer.from("# Notes"), "text/plain; charset=utf-8", "document", "text/markdown", "notes.md"],
      ["/table.csv", Buffer.from("a,b"), "application/octet-stream", "document", "text/csv", "table.csv"],
      ["/", Buffer.from("hello"), "text/plain", "document", "text/plain", "document.txt"],
      ["/%2e%2e%2fx%00.txt", Buffer.from("hello"), "text/plain", "document", "text/plain", "x.txt"],
      ["/jpg", picture, "image/jpg", "image", "image/jpeg", "jpg"],
    ];
    for (const [path, content, type, kind, mimeType, filename] of cases) {
      host.serveFile(path, content, type);
      const { assetId, bytes } = await fetchFile(host.url(path));
      const asset = await found(assetId);
      assert.equal(bytes, content.length);
      assert.deepEqual(
        [asset.kind, asset.mimeType, asset.filename, asset.status, asset.postId],
        [kind, mimeType, filename, "ready", null],
      );
      assert.ok((await files.content(asset.storageKey ?? ""))?.equals(content));
    }
    const docx = office("word");
    host.serveFile("/letter", docx, "application/octet-stream");
    assert.match((await found((await fetchFile(host.url("/letter"))).assetId)).mimeType, /wordprocessingml/);
  });

  test("the same gate as on every way in, and nothing left behind (ASSET-15)", async () => {
    const before = (await files.keys()).length;
    host.serveFile("/page", Buffer.from("<!doctype html><p>hello"), "text/html");
    host.serveFile("/lie.jpg", Buffer.from("<!doctype html><p>hello"), "image/jpeg");
    host.serveFile("/other.jpg", await png(), "image/jpeg");
    host.serveFile("/a.zip", zip({ a: "b" }), "application/octet-stream");
    host.serveFile("/a.svg", Buffer.from("<svg/>"), "image/svg+xml");
    host.serveFile("/svg.txt", Buffer.from("<svg onload=alert(1)>"), "text/plain");
    host.serveFile("/empty", Buffer.alloc(0), "image/png");
    host.serveFile("/film", mp4(), "video/mp4");
    assert.equal(await getOutcome(fetchFile(host.url("/page"))), "unsupported_type");
    assert.equal(await getOutcome(fetchFile(host.url("/lie.jpg"))), "type_mismatch");
    assert.equal(await getOutcome(fetchFile(host.url("/other.jpg"))), "type_mismatch");
    assert.equal(await getOutcome(fetchFile(host.url("/a.zip"))), "unsupported_type");
    assert.equal(await getOutcome(fetchFile(host.url("/a.svg"))), "unsupported_type");
    assert.equal(await getOutcome(fetchFile(host.url("/svg.txt"))), "type_mismatch");
    assert.equal(await getOutcome(fetchFile(host.url("/empty"))), "invalid_input");
    assert.equal(await getOutcome(fetchFile(host.url("/film"), { kind: "image" })), "unsupported_type");
    assert.equal((await files.keys()).length, before);
  });

  test("too large, said and unsaid: not stored, and no more read than needed", async () => {
    const before = (await files.keys()).length;
    let sent = 0;
    host.serve("/said", (_req, res) =>
      res.writeHead(200, { "content-type": "image/jpeg", "content-length": 10 ** 9 }).write(Buffer.alloc(10_000)),
    );
    host.serve("/unsaid", (_req, res) => {
      res.writeHead(200, { "content-type": "image/jpeg" });
      const more = (): void => {
        if (res.destroyed) return;
        sent += 65_536;
        if (res.write(Buffer.alloc(65_536, 7))) setImmediate(more);
        else res.once("drain", more);
      };
      more();
    });
    assert.equal(await getOutcome(fetchFile(host.url("/said"))), "too_large");
    assert.equal(await getOutcome(fetchFile(host.url("/unsaid"))), "too_large");
    assert.ok(sent < 20_000_000, `${sent} bytes were sent`);
    assert.equal((await files.keys()).length, before);
  });

  test("only plain https to public addresses: every other is blocked, and nothing is sent there (ASSET-15, A19)", async () => {
    host.serveFile("/x.png", await png(), "image/png");
    const strict = host.createOpener({ isAllowed: undefined as never });
    const guarded: PublicUrlOpener = (address, signal) => strict(address, signal);
    const blocked = [
      host.url("/x.png").replace("https:", "http:"),
      host.url("/x.png").replace("https://", "https://user:secret@"),
      "ftp://files.test/x",
      "file:///etc/passwd",
      "data:image/png;base64,AAAA",
      "not an address",
      "",
    ];
    for (const url of blocked) assert.equal(await getOutcome(fetchFile(url, {}, guarded)), "url_blocked", url);
    const { isPublicAddress } = await import("#lib/ip-address.ts");
    const open = host.createOpener({
      isAllowed: isPublicAddress,
      resolve: async (name) => (name === "mixed.test" ? ["93.184.216.34", "10.0.0.1"] : ["127.0.0.1"]),
    });
    const inner = [
      "127.0.0.1",
      "[::1]",
      "10.0.0.1",
      "169.254.169.254",
      "[fd00::1]",
      "[::ffff:127.0.0.1]",
      "0x7f.1",
      "2130706433",
      "[64:ff9b::7f00:1]",
      "localhost",
      "mixed.test",
      "files.test",
    ];
    for (const name of inner)
      assert.equal(await getOutcome(fetchFile(`https://${name}/x.png`, {}, open)), "url_blocked", name);
    assert.equal(host.requestCounts.get("/x.png") ?? 0, 0);
  });

  test("redirects: followed five times, each one checked anew (ASSET-15)", async () => {
    host.serveFile("/end.png", await png(), "image/png");
    for (let i = 1; i <= 6; i++)
      host.serve(`/hop${i}`, (_req, res) =>
        res.writeHead(302, { location: i === 1 ? "/end.png" : `/hop${i - 1}` }).end(),
      );
    assert.equal(await getOutcome(fetchFile(host.url("/hop5"))), "ok");
    assert.equal(await getOutcome(fetchFile(host.url("/hop6"))), "url_unreachable");
    const open = host.createOpener({ resolve: async (name) => (name === "other.test" ? ["10.0.0.1"] : ["127.0.0.1"]) });
    host.serve("/inward", (_req, res) => res.writeHead(302, { location: host.url("/end.png", "other.test") }).end());
    host.serve("/plain", (_req, res) =>
      res.writeHead(302, { location: host.url("/end.png").replace("https:", "http:") }).end(),
    );
    host.serve("/file", (_req, res) => res.writeHead(302, { location: "file:///etc/passwd" }).end());
    for (const path of ["/inward", "/plain", "/file"])
      assert.equal(await getOutcome(fetchFile(host.url(path), {}, open)), "url_blocked", path);
  });

  test("the name is looked up once: what it points to afterwards does not matter", async () => {
    host.serveFile("/pinned.png", await png(), "image/png");
    let looks = 0;
    const open = host.createOpener({ resolve: async () => (++looks === 1 ? ["127.0.0.1"] : ["10.0.0.1"]) });
    assert.equal(await getOutcome(fetchFile(host.url("/pinned.png"), {}, open)), "ok");
    assert.equal(looks, 1);
  });

  test("what does not answer, breaks off or stalls is unreachable, in time (ASSET-15)", async () => {
    const before = (await files.keys()).length;
    host.serve("/500", (_req, res) => res.writeHead(500).end());
    host.serve("/cut", (_req, res) => {
      res.writeHead(200, { "content-type": "image/jpeg", "content-length": 50_000 });
      res.write(Buffer.alloc(20_000, 1));
      setTimeout(() => res.destroy(), 50);
    });
    host.serve("/silent", () => {});
    host.serve("/stalled", (_req, res) => {
      res.writeHead(200, { "content-type": "image/jpeg" });
      res.write(Buffer.alloc(20_000, 1));
    });
    const open = host.createOpener({ timeoutMs: 300 });
    for (const path of ["/500", "/404", "/cut", "/silent", "/stalled"]) {
      const started = performance.now();
      assert.equal(await getOutcome(fetchFile(host.url(path), {}, open)), "url_unreachable", path);
      assert.ok(performance.now() - started < 3000);
    }
    assert.equal(
      await getOutcome(
        fetchFile(
          "https://nobody.test/",
          {},
          host.createOpener({ resolve: () => Promise.reject(new Error("ENOTFOUND")) }),
        ),
      ),
      "url_unreachable",
    );
    assert.equal((await files.keys()).length, before);
  });

  test("an import that nobody waits for ends (M14)", async () => {
    host.serve("/forever", (_req, res) => {
      res.writeHead(200, { "content-type": "image/jpeg" });
      const timer = setInterval(() => res.write(Buffer.alloc(100, 7)), 20);
      res.on("close", () => clearInterval(timer));
    });
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(), 200);
    const started = performance.now();
    await assert.rejects(importAssetFromUrl(deps, owner, { url: host.url("/forever") }, { signal: leaving.signal }));
    assert.ok(performance.now() - started < 10_000);
  });

  test("the same key: one asset, however often and however parallel; other input is a conflict (ASSET-16, R4)", async () => {
    host.serveFile("/once.png", await png(), "image/png");
    const before = (await files.keys()).length;
    const calls = Array.from({ length: 5 }, () => fetchFile(host.url("/once.png"), { idempotencyKey: "k1" }));
    const results = await Promise.all(calls);
    assert.equal(new Set(results.map(({ assetId }) => assetId)).size, 1);
    const hits = host.requestCounts.get("/once.png");
    assert.deepEqual(await fetchFile(host.url("/once.png"), { idempotencyKey: "k1" }), results[0]);
    assert.equal(host.requestCounts.get("/once.png"), hits, "an answer that is known is not fetched again");
    assert.equal((await files.keys()).length, before + 1);
    assert.deepEqual(await countOutcomes([fetchFile(host.url("/once.png?"), { idempotencyKey: "k1" })]), {
      idempotency_conflict: 1,
    });
  });

  test("a crash between file and record, then the same key again: one asset, and the first bytes are swept (C2)", async () => {
    host.serveFile("/crash.png", await png(), "image/png");
    const before = (await files.keys()).length;
    const dying: Deps = {
      ...deps,
      transact: () => Promise.reject(new Error("killed")),
      files: { ...files, remove: () => Promise.reject(new Error("killed")) },
    };
    await assert.rejects(
      importAssetFromUrl(dying, owner, { url: host.url("/crash.png"), idempotencyKey: "k2" }),
      /killed/,
    );
    await fetchFile(host.url("/crash.png"), { idempotencyKey: "k2" });
    fixture.clock.advance(hours(2));
    await createAssetSweeper(deps)({ pause: async () => {}, shouldStop: () => false });
    assert.equal((await files.keys()).length, before + 1);
  });

  test("so many imports of one person, and of one studio, are under way at once; each gives its place back, however it ends (X1)", async () => {
    const studio = await newStudio(deps);
    const others = await Promise.all([1, 2, 3].map(() => newMember(deps, studio, "member")));
    const waiting: ServerResponse[] = [];
    host.serve("/slow.png", (_req, res) => {
      waiting.push(res.writeHead(200, { "content-type": "image/png" }));
      res.write(picture.subarray(0, 8));
    });
    const picture = await png();
    host.serveFile("/quick.png", picture, "image/png");
    const leaving = new AbortController();
    const begin = (who: Caller, path: string) =>
      getOutcome(importAssetFromUrl(deps, who, { url: host.url(path) }, { signal: leaving.signal }));
    const ended: string[] = [];
    const slow = (who: Caller, count: number) =>
      Array.from({ length: count }, async () => void ended.push(await begin(who, "/slow.png")));

    const first = slow(studio, maxConcurrentImports.user);
    await until(() => waiting.length === maxConcurrentImports.user);
    assert.equal(await begin(studio, "/quick.png"), "rate_limited", "of this person");
    const more = [...slow(others[0]!, maxConcurrentImports.user), ...slow(others[1]!, maxConcurrentImports.user)];
    await until(() => waiting.length === maxConcurrentImports.studio);
    assert.equal(await begin(others[2]!, "/quick.png"), "rate_limited", "of this studio");
    assert.equal(await begin(studio, "/nothing-there.png"), "rate_limited", "whatever its server would respond");
    assert.equal(await getOutcome(fetchFile(host.url("/quick.png"))), "ok", "of no other");

    waiting[0]!.end(picture.subarray(8));
    waiting[1]!.destroy();
    await until(() => ended.length === 2);
    assert.deepEqual(ended.toSorted(), ["ok", "url_unreachable"]);
    assert.equal(await begin(studio, "/quick.png"), "ok");
    leaving.abort();
    await Promise.all([...first, ...more]);
    assert.equal(await getOutcome(importAssetFromUrl(deps, others[2]!, { url: host.url("/quick.png") })), "ok");
  });

  test("takes the import slot before the name is resolved, and releases it when the lookup fails (X1)", async () => {
    const member = await newStudio(deps);
    const lookups: ((error: Error) => void)[] = [];
    const openUrl = host.createOpener({ resolve: () => new Promise((_resolve, reject) => lookups.push(reject)) });
    const start = () => getOutcome(importAssetFromUrl({ ...deps, openUrl }, member, { url: host.url("/quick.png") }));

    const pending = Array.from({ length: maxConcurrentImports.user }, start);
    await until(() => lookups.length === maxConcurrentImports.user);
    assert.equal(await start(), "rate_limited");
    assert.equal(lookups.length, maxConcurrentImports.user, "a rejected import resolves nothing");
    for (const reject of lookups.splice(0)) reject(new Error("no such name"));
    assert.deepEqual(new Set(await Promise.all(pending)), new Set(["url_unreachable"]));

    const next = start();
    await until(() => lookups.length === 1);
    lookups[0]?.(new Error("no such name"));
    assert.equal(await next, "url_unreachable");
  });

  test("a large file streams through: memory does not grow with it", async () => {
    const chunk = randomBytes(1024 * 1024);
    chunk[0] = 0;
    host.serve("/large", (_req, res) => {
      res.writeHead(200, { "content-type": "video/mp4" });
      let left = 200;
      const more = (): void => {
        while (left > 0) {
          left--;
          if (!res.write(chunk)) return void res.once("drain", more);
        }
        res.end();
      };
      more();
    });
    let bytes = 0;
    let peak = 0;
    const start = process.memoryUsage().rss;
    async function* watched(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const part of body) {
        bytes += part.length;
        peak = Math.max(peak, process.memoryUsage().rss - start);
        yield part;
      }
    }
    const watching: Deps["files"] = { ...files, write: (key, body, how) => files.write(key, watched(body), how) };
    await importAssetFromUrl({ ...deps, files: watching }, owner, { url: host.url("/large") });
    await sleep(0);
    assert.equal(bytes, 200 * 1024 * 1024);
    assert.ok(peak < 100 * 1024 * 1024, `${peak}`);
  });
});

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !isSo(); await sleep(10)) assert.ok(Date.now() < end, "it never came to that");
}
