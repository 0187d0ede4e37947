import assert from "node:assert/strict";
import { test } from "node:test";
import { facebookPublishing } from "#connectors/catalog/facebook-publishing.ts";
import { escapeLittleText, linkedinPublishing } from "#connectors/catalog/linkedin-publishing.ts";
import { threadsPublishing } from "#connectors/catalog/threads-publishing.ts";
import { x } from "#connectors/catalog/x.ts";
import { xPublishing } from "#connectors/catalog/x-publishing.ts";
import { classifyGraphError } from "#connectors/graph/errors.ts";
import { createPublisher } from "#connectors/publisher.ts";
import type { PublishContext } from "#connectors/publishing.ts";
import { threads } from "#connectors/catalog/threads.ts";
import type { ContentAsset, LookUpOutcome, Publisher, PublishRequest } from "#domain/publishing/ports.ts";
import type { PublicationProgress } from "#domain/publishing/progress.ts";
import { countText } from "#portable/count-text.ts";
import { renderLittleText } from "../servers/linkedin/little-text.ts";
import { weighText } from "../servers/x/text.ts";
import { fc } from "../support/fuzz.ts";

const asset: ContentAsset = {
  id: "ast_1",
  kind: "image",
  mimeType: "image/jpeg",
  filename: "vase.jpg",
  bytes: 100,
  storageKey: "files/1",
  digest: "d",
  altText: null,
};

const createContext = (text: string, assets: ContentAsset[] = []): PublishContext => ({
  accessToken: "the token",
  account: { id: "1", handle: "ada" },
  endpoints: { api: "https://api.linkedin.com" },
  content: { title: null, text, assets },
  progress: { mediaIds: {} },
  commitKey: "key",
  committedAt: Date.parse("2026-11-16T12:00:00Z"),
  createMediaUrl: () => "https://studio.example/files/media/token",
});

const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...Array.from("\\|{}@[]()<>#*_~a 1é界\n")),
    fc.string({ minLength: 1, maxLength: 1, unit: "binary" }),
  ),
});

test("LinkedIn shows exactly the text that was sent, including special characters (PUB-1)", () => {
  fc.assert(fc.property(texts, (text) => assert.equal(renderLittleText(escapeLittleText(text)).text, text)));
});

test("computes the length of a text as X does, including emoji and links with a protocol (PLATFORM-12)", () => {
  const limit = x.limits.text;
  assert.ok(limit);
  const samples = ["", "café", "cafe\u0301", "👾 🙋🏽 👨‍🎤 👨‍👩‍👧‍👦 🇩🇪 #️⃣", "日本語 한국어", "“quoted” – dash…", "a\u200Db"];
  const links = ["https://example.com", "See https://example.com/very/long/path?x=1&y=2, then http://a.de."];
  for (const text of [...samples, ...links]) assert.equal(countText(text, limit), weighText(text), text);
});

test("LinkedIn's access token is sent to LinkedIn only (L1)", () => {
  const upload =
    typeof linkedinPublishing.media === "function"
      ? linkedinPublishing.media(asset, createContext("").content)
      : undefined;
  assert.ok(upload && "part" in upload);
  const buildBearer = (url: string): string | undefined =>
    upload.part.buildCall(createContext(""), asset, { mediaId: "urn", parts: [{ url, start: 0, end: 99 }] }, 0).bearer;
  assert.equal(buildBearer("https://www.linkedin.com/dms-uploads/1"), "the token");
  for (const url of [
    "https://linkedin.com.evil.example/1",
    "https://evillinkedin.com/1",
    "https://evil.example/www.linkedin.com",
  ])
    assert.equal(buildBearer(url), undefined, url);
});

test("finds a post on X although its links were shortened, and no older or different one (PUB-2)", () => {
  const text = "A & B <c>: example.com/x, https://example.com and more";
  const post = {
    id: "20",
    text: "A &amp; B &lt;c&gt;: https://t.co/1, https://t.co/2 and more https://t.co/3",
    created_at: "2026-11-16T12:00:01.000Z",
    attachments: { media_keys: ["3_1"] },
    entities: {
      urls: [
        { url: "https://t.co/1", expanded_url: "http://example.com/x" },
        { url: "https://t.co/2", expanded_url: "https://example.com/" },
        { url: "https://t.co/3", expanded_url: "https://x.com/ada/status/20/photo/1" },
      ],
    },
  };
  const others = [
    { ...post, id: "21", created_at: "2026-11-16T11:00:00.000Z" },
    { ...post, id: "22", attachments: undefined },
    { ...post, id: "23", text: "Something else" },
  ];
  const { reconcile } = xPublishing;
  assert.ok(typeof reconcile === "object" && "findPosts" in reconcile);
  assert.deepEqual(reconcile.findPosts({ data: [...others, post] }, createContext(text, [asset])), [
    { id: "20", url: "https://x.com/ada/status/20" },
  ]);
});

test("finds a post on a Facebook page by author, time, text and media (PUB-2)", () => {
  const post = {
    id: "1_2",
    message: "Text",
    created_time: "2026-11-16T12:00:01+0000",
    from: { id: "1", name: "The page" },
    permalink_url: "https://www.facebook.com/1/posts/2",
    attachments: { data: [{ media_type: "photo" }] },
  };
  const others = [
    { ...post, from: { id: "7", name: "A visitor" } },
    { ...post, from: undefined },
    { ...post, created_time: "2026-11-16T11:58:00+0000" },
    { ...post, message: "Another text" },
    { ...post, attachments: { data: [{ media_type: "video" }] } },
    { ...post, attachments: { data: [{ media_type: "link" }] } },
    { ...post, attachments: undefined },
  ];
  const { reconcile } = facebookPublishing;
  assert.ok(typeof reconcile === "object" && "findPosts" in reconcile);
  const findPosts = (data: object[], assets: ContentAsset[]) =>
    reconcile.findPosts({ data }, createContext("Text", assets)).map(({ id }) => id);
  assert.deepEqual(findPosts([post], [asset]), ["1_2"]);
  for (const other of others) assert.deepEqual(findPosts([other], [asset]), [], JSON.stringify(other));
  const video: ContentAsset = { ...asset, kind: "video", mimeType: "video/mp4" };
  assert.deepEqual(findPosts([post], [video]), []);
  assert.deepEqual(findPosts([post], []), []);
  assert.deepEqual(findPosts([{ ...post, attachments: { data: [{ media_type: "link" }] } }], []), ["1_2"]);
});

test("identifies a Facebook video by its post in the feed, and waits until all phases are complete (PUB-2)", () => {
  const { processing } = facebookPublishing.commit;
  assert.ok(processing);
  const complete = { status: "complete" };
  const video = {
    id: "9",
    permalink_url: "/1/videos/9/",
    status: { video_status: "ready", processing_phase: complete, publishing_phase: complete },
  };
  const parse = (change: object) => processing.parseStatus({ ...video, ...change }, createContext("Text"));
  const url = "https://www.facebook.com/1/videos/9/";
  assert.deepEqual(parse({ post_id: "1_2" }), { id: "1_2", url });
  assert.deepEqual(parse({ post_id: "2" }), { id: "1_2", url });
  assert.deepEqual(parse({}), { id: "9", url });
  const waiting = { ...video.status, publishing_phase: { status: "not_started" } };
  const failed = { ...video.status, publishing_phase: { status: "error" } };
  assert.equal(parse({ status: waiting }), "in_progress");
  assert.equal(parse({ status: { video_status: "processing" } }), "in_progress");
  assert.equal(parse({ status: failed }), "rejected");
  assert.equal(parse({ status: { video_status: "error" } }), "rejected");
  assert.throws(() => parse({ status: undefined }));
});

test("classifies errors of Meta's Graph API by their codes, but leaves 5xx responses unclassified (PUB-2, PUB-4)", () => {
  const classify = (error: object, status = 400, headers = {}) =>
    classifyGraphError({ status, headers: new Headers(headers), body: { error } });
  assert.equal(classify({ code: 190, error_subcode: 463 })?.kind, "reconnect");
  assert.equal(classify({ code: 4 })?.kind, "retry_later");
  assert.deepEqual(classify({ code: 4, error_subcode: 2207051 }), classify({ code: 368 }));
  assert.equal(classify({ code: 36003, error_subcode: 2207009 })?.kind, "rejected");
  assert.equal(classify({ code: 2, is_transient: true })?.kind, "unknown");
  assert.equal(classify({ code: 100 }), undefined);
  assert.equal(classify({ code: 190 }, 500), undefined);
  const usage = { "1": [{ type: "pages", estimated_time_to_regain_access: 3 }] };
  const limited = classify({ code: 32 }, 400, { "x-business-use-case-usage": JSON.stringify(usage) });
  assert.deepEqual(limited && "retryAfterMs" in limited && limited.retryAfterMs, 180_000);
  assert.equal(classify({ code: 32 }, 400, { "x-business-use-case-usage": "not JSON" })?.kind, "retry_later");
});

/** Responses of Threads by path; a number is a status. */
type ThreadsResponses = Record<string, object | number>;

const createThreadsPublisher = (responses: ThreadsResponses): Publisher =>
  createPublisher({
    setups: [
      {
        platform: threads,
        publicFetch: async (url) => {
          const path = new URL(url).pathname.replace("/v1.0/", "");
          const response = responses[path] ?? 404;
          return typeof response === "number" ? new Response(null, { status: response }) : Response.json(response);
        },
      },
    ],
    createMediaUrl: () => "",
    openFile: () => Promise.reject(new Error("this test has no files")),
    sleep: async () => {},
  });

function createThreadsRequest(progress: PublicationProgress, assets: ContentAsset[] = []): PublishRequest {
  const { endpoints: _endpoints, createMediaUrl: _createMediaUrl, account, ...context } = createContext("Text", assets);
  return {
    ...context,
    connection: {
      platform: "threads",
      instance: "",
      account: { ...account, name: null, avatarUrl: null, profileUrl: null },
    },
    progress,
  };
}

/** Looks up a container after the response to its commit was lost. */
function lookUp(responses: ThreadsResponses, belongsToOtherPublication = false): Promise<LookUpOutcome> {
  const request = createThreadsRequest({ mediaIds: {}, containerId: "c1" });
  return createThreadsPublisher(responses).lookUp(request, async () => belongsToOtherPublication);
}

/** Starts a run after an earlier run has uploaded two files. Returns the outcome and the last saved progress. */
async function resume(responses: ThreadsResponses, containerId?: string) {
  let saved: PublicationProgress | undefined;
  const progress = { mediaIds: { ast_1: "m1", ast_2: "m2" }, pendingIds: ["m1", "m2"], containerId };
  const request = createThreadsRequest(progress, [asset, { ...asset, id: "ast_2" }]);
  const save = async (next: PublicationProgress): Promise<void> => void (saved = next);
  const outcome = await createThreadsPublisher(responses).prepare(request, save, new AbortController().signal);
  return { outcome: outcome.kind, saved };
}

const quota = { data: [{ quota_usage: 1, config: { quota_total: 250 } }] };
const usedQuota = { data: [{ quota_usage: 250, config: { quota_total: 250 } }] };

test("a file that expired at the platform is uploaded again by the next run (PUB-2)", async () => {
  const statuses = { m1: { status: "FINISHED" }, m2: { status: "EXPIRED" } };
  const { outcome, saved } = await resume({ ...statuses, "1/threads_publishing_limit": quota });
  assert.deepEqual([outcome, saved], ["unknown", { mediaIds: {} }]);
});

test("a container that the platform no longer knows is created again by the next run (PUB-2)", async () => {
  const { outcome, saved } = await resume({ c1: 400, "1/threads_publishing_limit": quota }, "c1");
  assert.deepEqual([outcome, saved], ["unknown", { mediaIds: {} }]);
});

test("checks whether the container is already public before it reads the status of the files and the quota (PUB-2)", async () => {
  for (const status of ["PUBLISHED", "EXPIRED", "ERROR"]) {
    const responses = { m1: { status }, m2: { status }, c1: { status: "PUBLISHED" } };
    const { outcome, saved } = await resume({ ...responses, "1/threads_publishing_limit": usedQuota }, "c1");
    assert.deepEqual([outcome, saved?.isPublic], ["prepared", true], status);
  }
  const { outcome } = await resume({ c1: { status: "FINISHED" }, "1/threads_publishing_limit": usedQuota }, "c1");
  assert.equal(outcome, "retry_later");
});

test("reports a public container as published, with the URL of its post only if exactly one post can be it (PUB-2)", async () => {
  const post = {
    id: "p1",
    text: "Text",
    permalink: "https://www.threads.com/@ada/post/p1",
    timestamp: "2026-11-16T12:00:00+0000",
  };
  const older = { ...post, id: "p0", timestamp: "2026-11-16T10:00:00+0000" };
  const published = { status: "PUBLISHED" };
  assert.ok(threadsPublishing.container);
  assert.deepEqual(await lookUp({ c1: published, "1/threads": { data: [post, older] } }), {
    kind: "published",
    remoteId: "p1",
    url: post.permalink,
  });
  const unknownPost = { kind: "published", remoteId: "container:c1", url: null };
  assert.deepEqual(await lookUp({ c1: published, "1/threads": { data: [post, { ...post, id: "p2" }] } }), unknownPost);
  assert.deepEqual(await lookUp({ c1: published, "1/threads": { data: [post] } }, true), unknownPost);
  assert.deepEqual(await lookUp({ c1: published, "1/threads": 403 }), unknownPost);
  assert.equal((await lookUp({ c1: published, "1/threads": 503 })).kind, "unknown");
});

test("treats the commit as failed only if the container failed or expired, not because the container is not public yet (PUB-2)", async () => {
  const kinds = {
    FINISHED: "unidentified",
    IN_PROGRESS: "unknown",
    ERROR: "rejected",
    EXPIRED: "rejected",
    NEW: "unknown",
  };
  for (const [status, kind] of Object.entries(kinds))
    assert.equal((await lookUp({ c1: { status } })).kind, kind, status);
  assert.equal((await lookUp({ c1: 404 })).kind, "unknown");
});
