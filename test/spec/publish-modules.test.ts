import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { facebook } from "#connectors/facebook/connect.ts";
import { classifyGraphError } from "#connectors/graph/errors.ts";
import { linkedin } from "#connectors/linkedin/connect.ts";
import { escapeLittleText } from "#connectors/linkedin/publish.ts";
import type { OAuthPlatform } from "#connectors/platform.ts";
import { createPublisher } from "#connectors/publisher.ts";
import { threads } from "#connectors/threads/connect.ts";
import { x } from "#connectors/x/connect.ts";
import type { ContentAsset } from "#domain/model/publication-content.ts";
import type { PlatformProgress } from "#domain/model/publication-progress.ts";
import type { LookUpOutcome, LookUpRequest, Publisher } from "#domain/ports/publisher.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
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

function createRequest(
  { id }: OAuthPlatform,
  text: string,
  assets: ContentAsset[] = [],
  progress: PlatformProgress = {},
): LookUpRequest {
  const committedAt = Date.parse("2026-11-16T12:00:00Z");
  const account = { id: "1", handle: "ada", name: null, avatarUrl: null, profileUrl: null };
  return {
    accessToken: "the token",
    connection: { platform: id, instance: "", account },
    content: { title: null, text, assets },
    replyTo: null,
    progress,
    commitKey: "key",
    committedAt,
    firstCommittedAt: committedAt,
    elapsedMs: 0,
    isTaken: async () => false,
  };
}

const createTestPublisher = (platform: OAuthPlatform, publicFetch: PublicFetch): Publisher =>
  createPublisher({
    setups: [{ platform, publicFetch }],
    createMediaUrl: () => "https://studio.example/files/media/token",
    openFile: async () => Readable.from([]),
    sleep: async () => {},
  });

/** Looks up a post after the response to its commit was lost. The platform responds to every call with this body. */
const lookUpPost = (
  platform: OAuthPlatform,
  body: object,
  text: string,
  assets: ContentAsset[] = [],
  progress: PlatformProgress = {},
): Promise<LookUpOutcome> =>
  createTestPublisher(platform, async () => Response.json(body)).lookUp(
    createRequest(platform, text, assets, progress),
  );

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

test("LinkedIn's access token is sent to LinkedIn only (L1)", async () => {
  const uploadTo = async (uploadUrl: string): Promise<string | undefined> => {
    let authorization: string | undefined;
    const publisher = createTestPublisher(linkedin, async (url, { method, headers } = {}) => {
      if (method === "PUT") {
        assert.equal(url, uploadUrl);
        authorization = headers?.["authorization"];
      }
      return Response.json({ value: { image: "urn:li:image:1", uploadUrl } });
    });
    const { kind } = await publisher.prepare(
      createRequest(linkedin, "Text", [asset]),
      async () => {},
      new AbortController().signal,
    );
    assert.equal(kind, "prepared");
    return authorization;
  };
  assert.equal(await uploadTo("https://www.linkedin.com/dms-uploads/1"), "Bearer the token");
  for (const url of [
    "https://linkedin.com.evil.example/1",
    "https://evillinkedin.com/1",
    "https://evil.example/www.linkedin.com",
  ])
    assert.equal(await uploadTo(url), undefined, url);
});

test("finds a post on X although its links were shortened, and no older or different one (PUB-2)", async () => {
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
  assert.deepEqual(await lookUpPost(x, { data: [...others, post] }, text, [asset]), {
    kind: "published",
    remoteId: "20",
    url: "https://x.com/ada/status/20",
  });
});

test("finds a post on a Facebook page by author, time, text and media (PUB-2)", async () => {
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
  const findPost = async (candidate: object, assets: ContentAsset[]) => {
    const outcome = await lookUpPost(facebook, { data: [candidate] }, "Text", assets);
    return outcome.kind === "published" ? outcome.remoteId : outcome.kind;
  };
  assert.equal(await findPost(post, [asset]), "1_2");
  for (const other of others) assert.equal(await findPost(other, [asset]), "not_found", JSON.stringify(other));
  const video: ContentAsset = { ...asset, kind: "video", mimeType: "video/mp4" };
  assert.equal(await findPost(post, [video]), "not_found");
  assert.equal(await findPost(post, []), "not_found");
  assert.equal(await findPost({ ...post, attachments: { data: [{ media_type: "link" }] } }, []), "1_2");
});

test("identifies a Facebook video by its post in the feed, and waits until all phases are complete (PUB-2)", async () => {
  const complete = { status: "complete" };
  const video = {
    id: "9",
    permalink_url: "/1/videos/9/",
    status: { video_status: "ready", processing_phase: complete, publishing_phase: complete },
  };
  const readStatus = (change: object) =>
    lookUpPost(facebook, { ...video, ...change }, "Text", [], { processingId: "9" });
  const url = "https://www.facebook.com/1/videos/9/";
  assert.deepEqual(await readStatus({ post_id: "1_2" }), { kind: "published", remoteId: "1_2", url });
  assert.deepEqual(await readStatus({ post_id: "2" }), { kind: "published", remoteId: "1_2", url });
  assert.deepEqual(await readStatus({}), { kind: "published", remoteId: "9", url });
  const waiting = { ...video.status, publishing_phase: { status: "not_started" } };
  const failed = { ...video.status, publishing_phase: { status: "error" } };
  for (const status of [waiting, { video_status: "processing" }, undefined])
    assert.equal((await readStatus({ status })).kind, "unknown");
  for (const status of [failed, { video_status: "error" }])
    assert.equal((await readStatus({ status })).kind, "rejected");
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
  createTestPublisher(threads, async (url) => {
    const path = new URL(url).pathname.replace("/v1.0/", "");
    const response = responses[path] ?? 404;
    return typeof response === "number" ? new Response(null, { status: response }) : Response.json(response);
  });

/** Looks up a container after the response to its commit was lost. */
function lookUp(responses: ThreadsResponses, belongsToOtherPublication = false): Promise<LookUpOutcome> {
  const request = createRequest(threads, "Text", [], { containerId: "c1" });
  return createThreadsPublisher(responses).lookUp({ ...request, isTaken: async () => belongsToOtherPublication });
}

/** Starts a run after an earlier run has uploaded two files. Returns the outcome. */
async function resume(responses: ThreadsResponses, containerId?: string): Promise<string> {
  const progress = { mediaIds: { ast_1: "m1", ast_2: "m2" }, pendingIds: ["m1", "m2"], containerId };
  const request = createRequest(threads, "Text", [asset, { ...asset, id: "ast_2" }], progress);
  const { signal } = new AbortController();
  return (await createThreadsPublisher(responses).prepare(request, async () => {}, signal)).kind;
}

const quota = { data: [{ quota_usage: 1, config: { quota_total: 250 } }] };
const usedQuota = { data: [{ quota_usage: 250, config: { quota_total: 250 } }] };

test("a file that expired at the platform is uploaded again by the next run (PUB-2)", async () => {
  const statuses = { m1: { status: "FINISHED" }, m2: { status: "EXPIRED" } };
  assert.equal(await resume({ ...statuses, "1/threads_publishing_limit": quota }), "expired");
});

test("a container that the platform no longer knows is created again by the next run (PUB-2)", async () => {
  assert.equal(await resume({ c1: 400, "1/threads_publishing_limit": quota }, "c1"), "expired");
});

test("checks whether the container is already public before it reads the status of the files and the quota (PUB-2)", async () => {
  for (const status of ["PUBLISHED", "EXPIRED", "ERROR"]) {
    const responses = { m1: { status }, m2: { status }, c1: { status: "PUBLISHED" } };
    const outcome = await resume({ ...responses, "1/threads_publishing_limit": usedQuota }, "c1");
    assert.equal(outcome, "already_committed", status);
  }
  const outcome = await resume({ c1: { status: "FINISHED" }, "1/threads_publishing_limit": usedQuota }, "c1");
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
    FINISHED: "not_found",
    IN_PROGRESS: "unknown",
    ERROR: "rejected",
    EXPIRED: "rejected",
    NEW: "unknown",
  };
  for (const [status, kind] of Object.entries(kinds))
    assert.equal((await lookUp({ c1: { status } })).kind, kind, status);
  assert.equal((await lookUp({ c1: 404 })).kind, "unknown");
});
