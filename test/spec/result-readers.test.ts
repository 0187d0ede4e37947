import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { bluesky } from "#connectors/bluesky/connect.ts";
import type { PlatformSetup } from "#connectors/connectors.ts";
import { mastodon } from "#connectors/mastodon/connect.ts";
import { facebook } from "#connectors/facebook/connect.ts";
import { instagram } from "#connectors/instagram/connect.ts";
import { linkedin } from "#connectors/linkedin/connect.ts";
import { pinterest } from "#connectors/pinterest/connect.ts";
import { threads } from "#connectors/threads/connect.ts";
import { x } from "#connectors/x/connect.ts";
import { createPublisher } from "#connectors/publisher.ts";
import { resultAges } from "#domain/model/results.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";

type Respond = (url: URL, authorization: string | undefined) => Response;

/** Reads results from a stand-in. Returns the outcome and the URLs that were requested. */
async function read(
  platform: PlatformSetup["platform"],
  remoteIds: readonly string[],
  respond: Respond,
  signal = new AbortController().signal,
) {
  const urls: string[] = [];
  const publicFetch: PublicFetch = async (url, { headers = {}, signal: requestSignal } = {}) => {
    assert.equal(requestSignal?.aborted, signal.aborted);
    urls.push(url);
    return respond(new URL(url), (headers as Record<string, string>)["authorization"]);
  };
  const publisher = createPublisher({
    setups: [{ platform, publicFetch } as PlatformSetup],
    createMediaUrl: () => "",
    openFile: async () => Readable.from([]),
    sleep: async () => {},
  });
  const account = { id: "1", handle: "ada", name: null, avatarUrl: null, profileUrl: null };
  const connection = { platform: platform.id, instance: "https://social.example", account };
  return {
    outcome: await publisher.readResults({
      accessToken: "token",
      connection,
      remoteIds,
      signal,
    }),
    urls,
    publisher,
  };
}

const counts = { favourites_count: 3, reblogs_count: 0, replies_count: 2 };
const mastodonMetrics = {
  likes: { source: "favourites_count", value: 3 },
  comments: { source: "replies_count", value: 2 },
  reposts: { source: "reblogs_count", value: 0 },
  quotes: { source: "quotes_count", value: null, reason: "not_offered" },
};

test("Mastodon posts are read with one request, by its own names; a deleted one is missing (RES-1, RES-2)", async () => {
  const { outcome, urls } = await read(mastodon, ["1", "2"], (_url, authorization) => {
    assert.equal(authorization, "Bearer token");
    return Response.json([{ id: "2", ...counts }]);
  });
  assert.deepEqual(urls, ["https://social.example/api/v1/statuses?id[]=1&id[]=2"]);
  assert.ok(outcome.kind === "read");
  assert.deepEqual(outcome.metrics.get("2"), mastodonMetrics);
  assert.deepEqual(outcome.metrics.get("1")?.["likes"], { source: "favourites_count", value: null, reason: "deleted" });
});

test("a server without the list of Mastodon 4.3 is asked for each post (RES-2)", async () => {
  const { outcome, urls } = await read(mastodon, ["1", "2"], ({ pathname }) =>
    pathname.endsWith("/2")
      ? Response.json({ id: "2", ...counts, reblogs_count: "many" })
      : new Response("", { status: 404 }),
  );
  assert.equal(urls.length, 3);
  assert.ok(outcome.kind === "read");
  const reposts = { source: "reblogs_count", value: null, reason: "error" };
  assert.deepEqual(outcome.metrics.get("2"), { ...mastodonMetrics, reposts });
});

test("Bluesky posts are read without credentials (RES-1, RES-2)", async () => {
  const uri = "at://did:plc:1/app.bsky.feed.post/1";
  const { outcome, urls } = await read(bluesky, [uri, `${uri}2`], (_url, authorization) => {
    assert.equal(authorization, undefined);
    return Response.json({ posts: [{ uri, likeCount: 1, repostCount: 2, replyCount: 3, quoteCount: 4 }, {}] });
  });
  assert.deepEqual(new URL(urls[0] ?? "").searchParams.getAll("uris"), [uri, `${uri}2`]);
  assert.ok(outcome.kind === "read");
  assert.deepEqual(outcome.metrics.get(uri), {
    likes: { source: "likeCount", value: 1 },
    comments: { source: "replyCount", value: 3 },
    reposts: { source: "repostCount", value: 2 },
    quotes: { source: "quoteCount", value: 4 },
  });
});

test("every request ends with the time limit of the reading (F5)", async () => {
  const { urls } = await read(mastodon, ["1", "2"], () => Response.json({}, { status: 404 }), AbortSignal.abort());
  assert.equal(urls.length, 3);
});

test("a rejected request and a platform that is not read have no numbers, with the reason (RES-1)", async () => {
  const { outcome } = await read(bluesky, ["1"], () => new Response("", { status: 403 }));
  assert.ok(outcome.kind === "read");
  assert.deepEqual(outcome.metrics.get("1")?.["likes"], { source: null, value: null, reason: "not_permitted" });
  const unread = await read(pinterest, ["1"], () => assert.fail("no request"));
  assert.ok(unread.outcome.kind === "read");
  assert.deepEqual(unread.outcome.metrics.get("1")?.["likes"], { source: null, value: null, reason: "not_offered" });
});

test("a rate limit says when to ask again, and 1,000 posts cost as many requests as planned (RES-2)", async () => {
  const headers = { "retry-after": "120" };
  const { outcome, publisher } = await read(mastodon, ["1"], () => new Response("", { status: 429, headers }));
  assert.ok(outcome.kind === "retry_later");
  assert.equal(outcome.retryAfterMs, 120_000);
  const countRequests = (platform: string) => (1000 / publisher.getResultBatchSize(platform)) * resultAges.length;
  assert.equal(countRequests("mastodon"), 400);
  assert.equal(bluesky.publishing?.results?.batchSize, 25);
  const plans = { x: 40, facebook: 6000, instagram: 6000, threads: 6000, linkedin: 3000 };
  for (const platform of [x, facebook, instagram, threads, linkedin]) {
    const { publisher: each } = await read(platform, ["1"], () => new Response("", { status: 403 }));
    const { id } = platform;
    const requests = (1000 / each.getResultBatchSize(id)) * each.getResultAges(id).length;
    assert.equal(requests, plans[id as keyof typeof plans], id);
  }
});

test("Meta's errors say whether a permission or the post is missing, or the response is of no use (RES-1)", async () => {
  const readReason = async (error: object, status = 400) => {
    const { outcome } = await read(threads, ["1"], () => Response.json({ error }, { status }));
    return outcome.kind === "read" ? outcome.metrics.get("1")?.["likes"] : outcome.kind;
  };
  const toMetric = (reason: string) => ({ source: "likes", value: null, reason });
  assert.deepEqual(await readReason({ code: 10 }), toMetric("not_permitted"));
  assert.deepEqual(await readReason({ code: 200 }, 403), toMetric("not_permitted"));
  assert.deepEqual(await readReason({ code: 100, error_subcode: 33 }), toMetric("deleted"));
  assert.deepEqual(await readReason({ code: 100 }), toMetric("error"));
  assert.equal(await readReason({ code: 190 }), "reconnect");
  assert.equal(await readReason({ code: 4 }), "retry_later");
  assert.equal(await readReason({ code: 2 }, 500), "unknown");
});
