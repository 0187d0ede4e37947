import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { updatePost } from "#domain/posts/update-post.ts";
import { listUploadLinks, resolveUploadCaller, withdrawUploadLink } from "#domain/uploads/upload-link.ts";
import { startFile } from "#domain/uploads/start-file.ts";
import { hours, minutes } from "#lib/clock.ts";
import { connectToolClient } from "../support/asset-fixture.ts";
import { assertProblem, call } from "../support/api-server.ts";
import { forEachEngine } from "../support/engines.ts";
import { jpeg } from "../support/samples.ts";
import { putBytes } from "../support/stores.ts";
import { createTestUploadLink, startUploadService, type TestUploadLink } from "../support/upload-fixture.ts";
import { startForSuite } from "../support/start-for-suite.ts";

const image = await jpeg();
const dist = join(import.meta.dirname, "../../web/dist");
const builtFiles = readdirSync(join(dist, "assets"));
/** Lists the built files whose names occur in this file: those that it loads at once or on demand. */
const listReferencedFiles = (path: string): string[] => {
  const source = readFileSync(join(dist, path), "utf8");
  return builtFiles.filter((name) => source.includes(name));
};
const getToken = ({ url }: TestUploadLink): string => url.split("/").at(-1) ?? "";

forEachEngine(
  "upload page over HTTP",
  (fixture) => {
    const service = startForSuite(() => startUploadService(fixture, "disk"));
    const open = (link: TestUploadLink, token = getToken(link)) => call<unknown>(service, "GET", `/u/${token}`);
    const api = <T = unknown>(link: TestUploadLink, method: string, path: string, body?: unknown) =>
      call<T>(service, method, `/api/uploads${path}`, {
        body,
        headers: { "upload-token": getToken(link), "sec-fetch-site": undefined },
      });

    async function send(link: TestUploadLink, name = "a.jpg"): Promise<string> {
      const startResponse = await api<{ file: { id: string } }>(link, "POST", "/files", {
        name,
        size: image.length,
        lastModified: 1,
      });
      assert.equal(startResponse.status, 200, startResponse.text);
      const { id } = startResponse.json.file;
      const response = await api<{ addresses: { url: string }[] }>(link, "POST", `/files/${id}/addresses`, {
        parts: [1],
      });
      assert.equal(await putBytes(response.json.addresses[0]?.url ?? "", image), 200);
      return id;
    }

    test("the page shows only the studio and the post, sets no cookie, loads no third-party files, and is not cached (UPLOAD-8, W2, W7)", async () => {
      const link = await createTestUploadLink(service, '<script>alert(1)</script> & "more"');
      const { status, headers, text } = await open(link);
      assert.equal(status, 200);
      assert.equal(headers.get("cache-control"), "no-store");
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.equal(headers.get("set-cookie"), null);
      assert.match(text, /Blue Door Studio/);
      assert.match(text, /&#60;script&#62;alert\(1\)/);
      assert.ok(!text.includes("{{") && !text.includes("<script>alert"));
      assert.ok(!text.includes(getToken(link)), "only the URL contains the token");
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
      const loadedUrls = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? "");
      assert.ok(loadedUrls.length >= 3 && loadedUrls.every((url) => url.startsWith("/")), loadedUrls.join(" "));
      assert.equal([...text.matchAll(/<script(?![^>]*\ssrc=)/g)].length, 0, "no inline script");
      assert.match(text, /<input type="file" multiple/);
      assert.equal(
        (await call(service, "GET", "/upload.html", { headers: { accept: "*/*" } })).status,
        404,
        "the unfilled template is not served",
      );
    });

    test("scripts and styles stay below 40 KB gzip for the first load and 150 KB in total", () => {
      const initialFiles = listReferencedFiles("upload.html");
      const allFiles = new Set(initialFiles);
      // Text is visible before the font arrives, and the browser loads only the subset that the text needs.
      const isFont = (name: string): boolean => name.endsWith(".woff2");
      for (const name of allFiles) for (const next of listReferencedFiles(`assets/${name}`)) allFiles.add(next);
      const sumGzipBytes = (names: Iterable<string>) =>
        [...names].reduce((sum, name) => sum + gzipSync(readFileSync(join(dist, "assets", name))).length, 0);
      // A browser loads the strings of one language: Uppy's pack and ours. The largest of each counts.
      const uppyTexts = [...allFiles].filter((name) => /^[a-z]{2}_[A-Z]{2}/.test(name));
      const ourTexts = [...allFiles].filter((name) => /^[a-z]{2}-/.test(name));
      const maxGzipBytes = (names: string[]) => Math.max(...names.map((name) => sumGzipBytes([name])));
      const otherFiles = [...allFiles].filter(
        (name) => !uppyTexts.includes(name) && !ourTexts.includes(name) && !isFont(name),
      );
      const totalBytes = sumGzipBytes(otherFiles) + maxGzipBytes(uppyTexts) + maxGzipBytes(ourTexts);
      for (const chunk of ["camera", "phone-dialog", "dialog", "confirm-cancel"])
        assert.ok(
          otherFiles.some((name) => name.startsWith(`${chunk}-`)),
          `${chunk} is counted`,
        );
      assert.ok(uppyTexts.length > 30 && ourTexts.length > 5, "languages are counted");
      assert.ok(sumGzipBytes(initialFiles) < 40_000, `${sumGzipBytes(initialFiles)} bytes at first load`);
      assert.ok(totalBytes < 150_000, `${totalBytes} bytes in total`);
    });

    test("tokens that are expired, altered, truncated or for another purpose get the same page, which reveals nothing about the studio (U1, UPLOAD-11)", async () => {
      const link = await createTestUploadLink(service);
      const token = getToken(link);
      const forgedTokens = [
        token.replace(/^./, (first) => (first === "e" ? "f" : "e")),
        token.slice(0, -1),
        token.slice(0, 20),
        `${token}x`,
        "x",
        "%00",
        service.deps.signer.sign("file", { link: "upl" }, fixture.clock() + hours(1)),
        service.deps.signer.sign("upload", { link: service.deps.newId("uploadLink") }, fixture.clock() + hours(1)),
      ];
      const pages = await Promise.all(forgedTokens.map((forgedToken) => open(link, forgedToken)));
      fixture.clock.advance(minutes(31));
      pages.push(await open(link));
      assertProblem(await api(link, "GET", "/session"), 410, "upload_expired");
      fixture.clock.advance(hours(24));
      pages.push(await open(link));
      assert.deepEqual([...new Set(pages.map(({ status }) => status))], [403]);
      assert.equal(new Set(pages.map(({ text }) => text)).size, 1);
      const [first] = pages;
      assert.match(first?.text ?? "", /This link is invalid or has expired/);
      for (const secret of ["Blue Door", "Spring catalogue", link.postId, link.owner.studio.id])
        assert.ok(!first?.text.includes(secret));
      assert.equal(first?.headers.get("cache-control"), "no-store");
      assert.ok(!first?.text.includes("<script"), "the page needs no script");
    });

    test("withdrawn and finished links each show their own page, and a link with an uploading file opens after its 30 minutes (UPLOAD-5, UPLOAD-11)", async () => {
      const withdrawnLink = await createTestUploadLink(service);
      const [listedLink] = (await listUploadLinks(service.deps, withdrawnLink.owner, { postId: withdrawnLink.postId }))
        .links;
      await withdrawUploadLink(service.deps, withdrawnLink.owner, {
        postId: withdrawnLink.postId,
        linkId: listedLink?.id ?? "",
      });
      assert.match((await open(withdrawnLink)).text, /This link was withdrawn/);
      assert.equal((await open(withdrawnLink)).status, 403);
      assertProblem(await api(withdrawnLink, "GET", "/session"), 403, "forbidden");

      const archivedPostLink = await createTestUploadLink(service);
      await updatePost(service.deps, archivedPostLink.owner, { postId: archivedPostLink.postId, status: "archived" });
      assert.match((await open(archivedPostLink)).text, /This link was withdrawn/);

      const finishedLink = await createTestUploadLink(service);
      const id = await send(finishedLink);
      fixture.clock.advance(minutes(31));
      assert.equal((await open(finishedLink)).status, 200);
      assert.equal((await api(finishedLink, "POST", `/files/${id}/complete`, {})).status, 200);
      const page = await open(finishedLink);
      assert.match(page.text, /All files received/);
      assert.match(page.text, /To add more files, ask the person who sent you the link for a new one\./);
      assert.ok(!page.text.includes("Blue Door"));
    });

    test("a file uploaded through the tool's link and the API appears in get_post (UPLOAD-1, UPLOAD-2)", async () => {
      const link = await createTestUploadLink(service);
      const client = await connectToolClient(service, link.owner);
      const session = (await client.callOk("create_upload_session", { postId: link.postId })) as unknown as {
        url: string;
      };
      assert.ok(session.url.startsWith(`${service.base}/u/`));
      assert.equal(await client.callError("create_upload_session", { postId: link.postId, more: 1 }), "invalid_input");
      const sessionLink = { ...link, url: session.url };
      const id = await send(sessionLink, "from-the-page.jpg");
      assert.equal((await client.callOk("get_post", { postId: link.postId })).assets[0]?.status, "pending");
      const completeResponse = await api(sessionLink, "POST", `/files/${id}/complete`, {});
      assert.equal(completeResponse.status, 200, completeResponse.text);
      const [asset] = (await client.callOk("get_post", { postId: link.postId })).assets;
      assert.deepEqual(
        [asset?.id, asset?.status, asset?.bytes, asset?.filename],
        [id, "ready", image.length, "from-the-page.jpg"],
      );
      assert.equal((await api(sessionLink, "PATCH", `/files/${id}`, { altText: "A wall" })).status, 200);
      assert.equal((await client.callOk("get_post", { postId: link.postId })).assets[0]?.altText, "A wall");
      assertProblem(await api(sessionLink, "DELETE", `/files/${id}`), 409, "already_attached");
      await client.close();
    });

    test("rejects requests from other origins and accepts the upload page's own origin (W1, W6)", async () => {
      const otherService = await startUploadService(fixture, "disk", {
        config: { uploadPage: "http://upload.localhost:4999" },
      });
      try {
        const link = await createTestUploadLink(otherService);
        assert.ok(link.url.startsWith("http://upload.localhost:4999/u/"));
        const getSession = (origin: string) =>
          call(otherService, "GET", "/api/uploads/session", { headers: { "upload-token": getToken(link), origin } });
        assert.equal((await getSession("http://upload.localhost:4999")).status, 200);
        assert.equal((await getSession(otherService.base)).status, 200);
        assertProblem(await getSession("https://evil.example"), 403, "forbidden");
        assertProblem(await getSession("null"), 403, "forbidden");
      } finally {
        await otherService.close();
      }
    });

    test("limits the request rate of a link (ERR-rate_limited)", async () => {
      const link = await createTestUploadLink(service);
      const statuses = await Promise.all(
        Array.from({ length: 650 }, async () => (await api(link, "GET", "/session")).status),
      );
      assert.ok(statuses.filter((status) => status === 429).length >= 40);
      fixture.clock.advance(minutes(2));
      assert.equal((await api(link, "GET", "/session")).status, 200);
    });

    test("a link cannot access files of another studio (T1)", async () => {
      const [link, otherLink] = [await createTestUploadLink(service), await createTestUploadLink(service)];
      const uploadCaller = await resolveUploadCaller(service.deps, getToken(otherLink));
      const { file } = await startFile(service.deps, uploadCaller, {
        name: "a.jpg",
        size: 10,
        lastModified: 1,
        type: "",
      });
      for (const [method, path, body] of [
        ["POST", `/files/${file.id}/complete`, {}],
        ["POST", `/files/${file.id}/addresses`, { parts: [1] }],
        ["PATCH", `/files/${file.id}`, { altText: "x" }],
        ["DELETE", `/files/${file.id}`, undefined],
      ] as const)
        assertProblem(await api(link, method, path, body), 404, "not_found");
    });
  },
  ["sqlite"],
);
