import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { forOneEngine } from "../support/engines.ts";
import { addImage, startPublishing } from "../support/publishing-fixture.ts";
import { shareReview } from "../support/review-client.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { loadStaticFiles } from "#http/static-files.ts";

const dist = join(import.meta.dirname, "../../web/dist");
const builtFiles = readdirSync(join(dist, "assets"));
const listReferencedFiles = (path: string): string[] => {
  const source = readFileSync(join(dist, path), "utf8");
  return builtFiles.filter((name) => source.includes(name));
};

forOneEngine("the page of a review link over HTTP", (fixture) => {
  const publishing = startForSuite(async () =>
    startPublishing(fixture, ["harbour"], { clock: fixture.clock, webFiles: await loadStaticFiles(dist) }),
  );

  test("loads nothing from other hosts, runs no inline script, can't be framed, sets no cookie and is not cached (REV-4, F10, W2, W7)", async () => {
    const postId = await publishing.newPost('<script>alert(1)</script> "quoted"');
    await addImage(publishing, postId, "A vase");
    const review = await shareReview(publishing, [postId]);
    const response = await fetch(review.url);
    const html = await response.text();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("set-cookie"), null);
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.equal(response.headers.get("referrer-policy"), "no-referrer");
    assert.equal(response.headers.get("x-frame-options"), "DENY");
    const csp = response.headers.get("content-security-policy") ?? "";
    for (const rule of [
      ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "form-action 'none'"],
      ...["frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'"],
    ])
      assert.ok(csp.includes(rule), rule);
    assert.ok(!/unsafe|\*|https?:(?!\/\/localhost)/.test(csp), csp);
    assert.ok(!html.includes("alert(1)") && !html.includes("{{") && !html.includes(review.url.split("/r/")[1] ?? "-"));
    assert.equal([...html.matchAll(/<script(?![^>]*\ssrc=)/g)].length, 0, "no inline script");
    const urls = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? "");
    assert.ok(urls.length >= 3 && urls.every((url) => url.startsWith("/")), urls.join(" "));

    const token = review.url.split("/r/")[1] ?? "";
    const session = await fetch(`${publishing.service.base}/api/reviews/session`, {
      headers: { "review-token": token },
    });
    assert.equal(session.headers.get("cache-control"), "no-store");
    assert.equal(session.headers.get("set-cookie"), null);
    const [image] = (await review.read()).posts[0]?.accounts[0]?.media ?? [];
    const imageResponse = await fetch(image?.url ?? "");
    assert.equal(imageResponse.status, 200);
    assert.match(imageResponse.headers.get("cache-control") ?? "", /private|no-store/, "no shared cache keeps it");
    await publishing.api("DELETE", `/review-links/${review.id}`);
    assert.equal((await fetch(image?.url ?? "")).status, 410, "an image ends with its link");
    const withdrawnPage = await fetch(review.url);
    assert.equal(withdrawnPage.status, 410);
    assert.match(await withdrawnPage.text(), /<h1>/);
  });

  test("a decision needs the token in its header: cookies, queries and forms of other sites change nothing (REV-4, F10)", async () => {
    const postId = await publishing.newPost("Not by a form");
    const review = await shareReview(publishing, [postId]);
    const { digest } = (await review.read()).posts[0] ?? {};
    const token = review.url.split("/r/")[1] ?? "";
    const body = JSON.stringify({ postId, digest, decision: "approved", name: "Greta" });
    const url = `${publishing.service.base}/api/reviews/decisions`;
    const json = { "content-type": "application/json" };
    for (const [target, headers] of [
      [`${url}?review-token=${token}`, json],
      [url, { ...json, cookie: `review-token=${token}` }],
      [url, { "content-type": "text/plain", "review-token": token }],
      [url, { ...json, "review-token": token, origin: "https://other.example", "sec-fetch-site": "cross-site" }],
    ] as const)
      assert.ok((await fetch(target, { method: "POST", headers, body })).status >= 400, JSON.stringify(headers));
    for (const path of [`/decisions`, `/comments`]) assert.equal((await review.call("GET", path)).status, 404);
    assert.equal((await review.read()).posts[0]?.decision, null);
  });

  test("scripts stay below 90 KB, compressed, with the largest language and the comparison of texts (REV-9)", () => {
    const files = new Set(listReferencedFiles("review.html"));
    for (const name of files) for (const next of listReferencedFiles(`assets/${name}`)) files.add(next);
    const scripts = [...files].filter((name) => name.endsWith(".js"));
    const size = (name: string): number => gzipSync(readFileSync(join(dist, "assets", name))).length;
    const languages = scripts.filter((name) => /^[a-z]{2}-/.test(name));
    assert.ok(languages.length >= 8 && scripts.some((name) => name.startsWith("compare-text-")), scripts.join(" "));
    const others = scripts.filter((name) => !languages.includes(name));
    const bytes = others.reduce((sum, name) => sum + size(name), 0) + Math.max(...languages.map(size));
    assert.ok(bytes < 90_000, `${bytes} bytes: ${scripts.join(" ")}`);
  });
});
