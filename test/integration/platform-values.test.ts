import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { createPlatformSetups } from "#connectors/catalog.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import { createPublisher } from "#connectors/publisher.ts";
import { createPost } from "#domain/posts/create-post.ts";
import type { PublicationWithNames } from "#domain/model/publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { runPublication } from "#domain/jobs/publishing/run-publication.ts";
import { seconds, systemClock } from "#lib/clock.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { createDeps, forEachEngine, type TestDeps } from "../support/engines.ts";
import { newMastodonConnection, noIdentities } from "../support/platform-fixture.ts";
import { newStudio } from "../support/users.ts";

const longText = "1".repeat(100_000);
const url = "https://social.example/@studio/1";

forEachEngine("values from a platform", (fixture) => {
  /** Publishes to a server that responds with this status, and follows the publication to its last state. */
  async function publish(status: string, headers: Record<string, string> = {}): Promise<PublicationWithNames> {
    let posts = 0;
    const publicFetch: PublicFetch = async (requestUrl, { method = "GET" } = {}) => {
      if (method === "POST") return new Response(status, { status: headers["retry-after"] ? 429 : 200, headers });
      if (requestUrl.endsWith("/source")) return Response.json({ text: "Text" });
      return new Response(posts++ === 0 ? "[]" : `[${status}]`);
    };
    const setups = createPlatformSetups({}, publicFetch, noIdentities);
    const deps: TestDeps = {
      ...createDeps(fixture.database, systemClock),
      platforms: createPlatforms("http://localhost:3000", setups),
      publisher: createPublisher({
        setups,
        createMediaUrl: () => "",
        openFile: async () => Readable.from([]),
        sleep: async () => {},
      }),
    };
    const owner = await newStudio(deps);
    const connectionIds = [await newMastodonConnection(deps, owner, "https://social.example")];
    const { id: postId } = await createPost(deps, owner, { title: "", body: "Text" });
    const [publication] = (await publishPost(deps, owner, { postId, connectionIds })).publications;
    assert.ok(publication);
    // Each run is 30 seconds after the one before, so that no lookup waits.
    for (let now = await deps.publications.getTime(); ; now += seconds(30)) {
      const publications = { ...deps.publications, getTime: async () => now };
      const slots = { publicationIds: [], maxPerStudio: 1, maxPerHost: 1 };
      const claim = { now, leaseExpiresAt: now + seconds(30), slots };
      const claimedPublication =
        (await deps.publicationRuns.claimAbandoned(claim)) ?? (await deps.publicationRuns.claimDue(claim));
      if (!claimedPublication) break;
      await runPublication({ ...deps, publications }, claimedPublication, new AbortController().signal);
    }
    const endedPublication = await deps.publications.find(owner.studio.id, publication.id);
    assert.ok(endedPublication);
    return endedPublication;
  }

  test("a post whose URL is too long or is not http(s) is published without a URL (PUB-1, F8)", async () => {
    for (const badUrl of [`https://social.example/${longText}`, "javascript:alert(1)", "\0", 7, null, {}]) {
      const { state, remoteId, url: storedUrl } = await publish(JSON.stringify({ id: "1", url: badUrl }));
      assert.deepEqual([state, remoteId, storedUrl], ["published", "1", null]);
    }
    const { url: cleanedUrl } = await publish(JSON.stringify({ id: "1", url: `${url}\0\ud800` }));
    assert.equal(cleanedUrl, `${url}%00%EF%BF%BD`);
  });

  test("a post whose id can't be stored is unconfirmed (PUB-2, F8)", async () => {
    for (const id of ["1\0", "\ud800", longText, "", {}, null]) {
      const { state, remoteId } = await publish(JSON.stringify({ id, url }));
      assert.deepEqual([state, remoteId], ["unconfirmed", null], JSON.stringify(id).slice(0, 20));
    }
  });

  test("an id of 64 bits is stored exactly, also if it is a number (PUB-1, F8)", async () => {
    const { state, remoteId } = await publish(`{"id":9223372036854775807,"url":"${url}"}`);
    assert.deepEqual([state, remoteId], ["published", "9223372036854775807"]);
  });

  test("a platform that asks to wait for ages makes the publication fail (PUB-13, F8)", async () => {
    const { state } = await publish("{}", { "retry-after": "9223372036854775807" });
    assert.equal(state, "failed");
  });
});
