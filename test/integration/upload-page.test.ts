import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { updatePost } from "#domain/posts/update-post.ts";
import { listUploadLinks, withdrawUploadLink } from "#domain/uploads/list-upload-links.ts";
import { startFile } from "#domain/uploads/start-file.ts";
import { resolveUploadCaller } from "#domain/uploads/upload-link.ts";
import { hours, minutes } from "#lib/clock.ts";
import { connectToolClient } from "../support/asset-fixture.ts";
import { assertProblem, call } from "../support/api-server.ts";
import { forEachEngine } from "../support/engines.ts";
import { jpeg } from "../support/samples.ts";
import type { RunningService } from "../support/service.ts";
import { putBytes } from "../support/stores.ts";
import { createTestUploadLink, startUploadService, type TestUploadLink } from "../support/upload-fixture.ts";

const picture = await jpeg();
const dist = join(import.meta.dirname, "../../web/dist");
const built = readdirSync(join(dist, "assets"));
/** However the build cuts a page into files: what one of them names, it loads, now or later. */
const filesNamedIn = (path: string): string[] => {
  const source = readFileSync(join(dist, path), "utf8");
  return built.filter((name) => source.includes(name));
};
const tokenOf = ({ url }: TestUploadLink): string => url.split("/").at(-1) ?? "";

forEachEngine(
  "the upload page without a browser",
  (fixture) => {
    let service: RunningService;
    before(async () => (service = await startUploadService(fixture, "disk")));
    after(() => service.close());
    const open = (link: TestUploadLink, token = tokenOf(link)) => call<unknown>(service, "GET", `/u/${token}`);
    const api = <T = unknown>(link: TestUploadLink, method: string, path: string, body?: unknown) =>
      call<T>(service, method, `/api/uploads${path}`, {
        body,
        headers: { "upload-token": tokenOf(link), "sec-fetch-site": undefined },
      });

    async function send(link: TestUploadLink, name = "a.jpg"): Promise<string> {
      const started = await api<{ file: { id: string } }>(link, "POST", "/files", {
        name,
        size: picture.length,
        lastModified: 1,
      });
      assert.equal(started.status, 200, started.text);
      const { id } = started.json.file;
      const asked = await api<{ addresses: { url: string }[] }>(link, "POST", `/files/${id}/addresses`, { parts: [1] });
      assert.equal(await putBytes(asked.json.addresses[0]?.url ?? "", picture), 200);
      return id;
    }

    test("it shows two names, sets no cookie, loads nothing of others, and is kept by nobody (UPLOAD-8, W2, W7)", async () => {
      const link = await createTestUploadLink(service, '<script>alert(1)</script> & "more"');
      const { status, headers, text } = await open(link);
      assert.equal(status, 200);
      assert.equal(headers.get("cache-control"), "no-store");
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.equal(headers.get("set-cookie"), null);
      assert.match(text, /Blue Door Studio/);
      assert.match(text, /&#60;script&#62;alert\(1\)/);
      assert.ok(!text.includes("{{") && !text.includes("<script>alert"));
      assert.ok(!text.includes(tokenOf(link)), "the key stands in the address alone");
      const csp = headers.get("content-security-policy") ?? "";
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
      ])
        assert.ok(csp.includes(rule), rule);
      assert.ok(!/unsafe|\*|https?:(?!\/\/localhost)/.test(csp), csp);
      assert.match(csp, new RegExp(`connect-src 'self' ${service.deps.files.origin}`));
      const loaded = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? "");
      assert.ok(loaded.length >= 3 && loaded.every((address) => address.startsWith("/")), loaded.join(" "));
      assert.equal([...text.matchAll(/<script(?![^>]*\ssrc=)/g)].length, 0, "no inline script");
      assert.match(text, /<input type="file" multiple/);
      assert.equal(
        (await call(service, "GET", "/upload.html", { headers: { accept: "*/*" } })).status,
        404,
        "the page with its gaps is nobody's",
      );
    });

    test("script and style stay below 150 KB gzip, first look and everything later", () => {
      const first = filesNamedIn("upload.html");
      const all = new Set(first);
      for (const name of all) for (const next of filesNamedIn(`assets/${name}`)) all.add(next);
      const weigh = (names: Iterable<string>) =>
        [...names].reduce((sum, name) => sum + gzipSync(readFileSync(join(dist, "assets", name))).length, 0);
      // A browser loads the words of one language: a pack of Uppy's and ours. The heaviest counts.
      const packs = [...all].filter((name) => /^[a-z]{2}_[A-Z]{2}/.test(name));
      const words = [...all].filter((name) => /^[a-z]{2}-/.test(name));
      const heaviest = (names: string[]) => Math.max(...names.map((name) => weigh([name])));
      const rest = [...all].filter((name) => !packs.includes(name) && !words.includes(name));
      const inAll = weigh(rest) + heaviest(packs) + heaviest(words);
      for (const part of ["camera", "phone-dialog", "dialog", "confirm-cancel"])
        assert.ok(
          rest.some((name) => name.startsWith(`${part}-`)),
          `${part} is weighed`,
        );
      assert.ok(packs.length > 30 && words.length > 5, "so are the languages");
      assert.ok(weigh(first) < 40_000, `${weigh(first)} bytes at first`);
      assert.ok(inAll < 150_000, `${inAll} bytes in all`);
    });

    test("expired, flipped, cut short, of another key: the same page, and nothing of the studio (U1, UPLOAD-11)", async () => {
      const link = await createTestUploadLink(service);
      const token = tokenOf(link);
      const forged = [
        token.replace(/^./, (first) => (first === "e" ? "f" : "e")),
        token.slice(0, -1),
        token.slice(0, 20),
        `${token}x`,
        "x",
        "%00",
        service.deps.signer.sign("file", { link: "upl" }, fixture.clock() + hours(1)),
      ];
      const pages = await Promise.all(forged.map((one) => open(link, one)));
      fixture.clock.advance(minutes(31));
      pages.push(await open(link));
      assert.deepEqual([...new Set(pages.map(({ status }) => status))], [403]);
      assert.equal(new Set(pages.map(({ text }) => text)).size, 1);
      const [first] = pages;
      assert.match(first?.text ?? "", /This link is invalid or has expired/);
      for (const secret of ["Blue Door", "Spring catalogue", link.postId, link.owner.studio.id])
        assert.ok(!first?.text.includes(secret));
      assert.equal(first?.headers.get("cache-control"), "no-store");
      assert.ok(!first?.text.includes("<script"), "needs no script");
      assertProblem(await api(link, "GET", "/session"), 410, "upload_expired");
    });

    test("withdrawn and finished links say so, each on a page of its own (UPLOAD-11)", async () => {
      const withdrawn = await createTestUploadLink(service);
      const [listed] = (await listUploadLinks(service.deps, withdrawn.owner, { postId: withdrawn.postId })).links;
      await withdrawUploadLink(service.deps, withdrawn.owner, {
        postId: withdrawn.postId,
        linkId: listed?.id ?? "",
      });
      assert.match((await open(withdrawn)).text, /This link was withdrawn/);
      assert.equal((await open(withdrawn)).status, 403);
      assertProblem(await api(withdrawn, "GET", "/session"), 403, "forbidden");

      const archived = await createTestUploadLink(service);
      await updatePost(service.deps, archived.owner, { postId: archived.postId, status: "archived" });
      assert.match((await open(archived)).text, /This link was withdrawn/);

      const finished = await createTestUploadLink(service);
      const id = await send(finished);
      assert.equal((await api(finished, "POST", `/files/${id}/complete`, {})).status, 200);
      fixture.clock.advance(minutes(31));
      const page = await open(finished);
      assert.match(page.text, /All files received/);
      assert.ok(!page.text.includes("Blue Door"));
    });

    test("a link with a file on its way opens after its 30 minutes, so that a reloaded page goes on (UPLOAD-5)", async () => {
      const link = await createTestUploadLink(service);
      const id = await send(link);
      fixture.clock.advance(minutes(45));
      assert.equal((await open(link)).status, 200);
      assert.equal((await api(link, "POST", `/files/${id}/complete`, {})).status, 200);
      assert.deepEqual(
        (await link.assets()).map(({ status }) => status),
        ["ready"],
      );
    });

    test("from the tool's link to get_post, through the API alone (UPLOAD-1, UPLOAD-2)", async () => {
      const link = await createTestUploadLink(service);
      const client = await connectToolClient(service, link.owner);
      const made = (await client.callOk("create_upload_session", { postId: link.postId })) as unknown as {
        url: string;
        expiresInMinutes: number;
      };
      assert.deepEqual(Object.keys(made), ["url", "expiresInMinutes"]);
      assert.equal(made.expiresInMinutes, 30);
      assert.ok(made.url.startsWith(`${service.base}/u/`));
      assert.equal(await client.callError("create_upload_session", { postId: link.postId, more: 1 }), "invalid_input");
      const mine = { ...link, url: made.url };
      const id = await send(mine, "from-the-page.jpg");
      assert.equal((await client.callOk("get_post", { postId: link.postId })).assets[0]?.status, "pending");
      const completed = await api(mine, "POST", `/files/${id}/complete`, {});
      assert.equal(completed.status, 200, completed.text);
      const [asset] = (await client.callOk("get_post", { postId: link.postId })).assets;
      assert.deepEqual(
        [asset?.id, asset?.status, asset?.bytes, asset?.filename],
        [id, "ready", picture.length, "from-the-page.jpg"],
      );
      assert.equal((await api(mine, "PATCH", `/files/${id}`, { altText: "A wall" })).status, 200);
      assert.equal((await client.callOk("get_post", { postId: link.postId })).assets[0]?.altText, "A wall");
      assertProblem(await api(mine, "DELETE", `/files/${id}`), 409, "already_attached");
      await client.close();
    });

    test("revoking the client that made a link withdraws it (UPLOAD-6)", async () => {
      const link = await createTestUploadLink(service);
      const client = await connectToolClient(service, link.owner);
      const { url } = (await client.callOk("create_upload_session", { postId: link.postId })) as unknown as {
        url: string;
      };
      const made = { ...link, url };
      assert.equal((await open(made)).status, 200);
      const [grant] = await service.deps.grants.listForStudio(link.owner.studio.id, {
        userId: link.owner.user.id,
        others: true,
      });
      await service.deps.grants.revoke(grant?.id ?? "", fixture.clock());
      assert.match((await open(made)).text, /withdrawn/);
      assert.equal((await open(link)).status, 200, "those of the person live on");
      await client.close();
    });

    test("sizes that lie are refused at the PUT (U6)", async () => {
      const link = await createTestUploadLink(service);
      const started = await api<{ file: { id: string } }>(link, "POST", "/files", {
        name: "a.jpg",
        size: picture.length,
        lastModified: 1,
      });
      const { id } = started.json.file;
      const asked = await api<{ addresses: { url: string }[] }>(link, "POST", `/files/${id}/addresses`, { parts: [1] });
      const url = asked.json.addresses[0]?.url ?? "";
      for (const wrong of [
        Buffer.concat([picture, picture]),
        Buffer.alloc(picture.length * 10),
        picture.subarray(1),
        Buffer.alloc(0),
      ])
        assert.notEqual(await putBytes(url, wrong).catch(() => 0), 200);
      assertProblem(await api(link, "POST", `/files/${id}/complete`, {}), 409, "not_uploaded");
      assertProblem(await api(link, "POST", `/files/${id}/addresses`, { parts: [2] }), 400, "invalid_input");
    });

    test("foreign pages get nowhere, and the upload page's own origin does (W1, W6)", async () => {
      const other = await startUploadService(fixture, "disk", {
        config: { uploadPage: "http://upload.localhost:4999" },
      });
      try {
        const link = await createTestUploadLink(other);
        assert.ok(link.url.startsWith("http://upload.localhost:4999/u/"));
        const ask = (origin: string) =>
          call(other, "GET", "/api/uploads/session", { headers: { "upload-token": tokenOf(link), origin } });
        assert.equal((await ask("http://upload.localhost:4999")).status, 200);
        assert.equal((await ask(other.base)).status, 200);
        assertProblem(await ask("https://evil.example"), 403, "forbidden");
        assertProblem(await ask("null"), 403, "forbidden");
      } finally {
        await other.close();
      }
    });

    test("a link that asks too often is told to wait (ERR-rate_limited)", async () => {
      const link = await createTestUploadLink(service);
      const statuses = await Promise.all(
        Array.from({ length: 650 }, async () => (await api(link, "GET", "/session")).status),
      );
      assert.ok(statuses.filter((status) => status === 429).length >= 40);
      fixture.clock.advance(minutes(2));
      assert.equal((await api(link, "GET", "/session")).status, 200);
    });

    test("a link of one studio reaches no file of another (T1)", async () => {
      const [mine, theirs] = [await createTestUploadLink(service), await createTestUploadLink(service)];
      const visitor = await resolveUploadCaller(service.deps, tokenOf(theirs));
      const { file } = await startFile(service.deps, visitor, { name: "a.jpg", size: 10, lastModified: 1, type: "" });
      for (const [method, path, body] of [
        ["POST", `/files/${file.id}/complete`, {}],
        ["POST", `/files/${file.id}/addresses`, { parts: [1] }],
        ["PATCH", `/files/${file.id}`, { altText: "x" }],
        ["DELETE", `/files/${file.id}`, undefined],
      ] as const)
        assertProblem(await api(mine, method, path, body), 404, "not_found");
    });
  },
  ["sqlite"],
);
