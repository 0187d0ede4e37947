import assert from "node:assert/strict";
import { before, test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { createUploadStore } from "#db/uploads.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { createAppUpload } from "#domain/uploads/app-uploads.ts";
import { createLibraryUploadLink, createUploadLink } from "#domain/uploads/create-upload-link.ts";
import { describeUploadPage } from "#domain/uploads/files.ts";
import {
  getLinkFileLimit,
  linkLifetime,
  listUploadLinks,
  maxOpenAppUploads,
  maxOpenLinks,
  resolveUploadCaller,
  withdrawUploadLink,
} from "#domain/uploads/upload-link.ts";
import { startFile } from "#domain/uploads/start-file.ts";
import type { TestClock } from "../support/clock.ts";
import { createDeps, forEachEngine, silentLog } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { createHookedFiles } from "../support/hooked-files.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { recordPlans } from "../support/query-plans.ts";
import { newMember, newStudio } from "../support/users.ts";

forEachEngine("limits of upload links", (fixture) => {
  let deps: Deps;
  let clock: TestClock;
  before(() => void ({ deps, clock } = fixture));

  async function createPostWithLinks(linkCount: number): Promise<{ owner: Caller; postId: string }> {
    const owner = await newStudio(deps);
    const postId = (await createPost(deps, owner, { title: "Spring", body: "" })).id;
    const columns = { studioId: owner.studio.id, postId, createdBy: owner.user.id, isInPlace: false };
    const rows = Array.from({ length: linkCount }, () => ({
      ...columns,
      id: deps.newId("uploadLink"),
      grantId: null,
      clientId: null,
      clientName: null,
      createdAt: clock(),
      expiresAt: clock() + linkLifetime,
      withdrawnAt: null,
    }));
    await fixture.database.q.insertInto("uploadLinks").values(rows).execute();
    return { owner, postId };
  }

  test("limits the open links of a post, even with parallel calls (UPLOAD-1, X7)", async () => {
    const { owner, postId } = await createPostWithLinks(maxOpenLinks - 3);
    const otherDatabase = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      const pools = [deps, createDeps(otherDatabase, clock)] as const;
      const calls = Array.from({ length: 10 }, (_, i) =>
        createUploadLink(pools[i % 2]!, owner, { postId, inPlace: i < 5 }),
      );
      assert.deepEqual(await countOutcomes(calls), { ok: 3, quota_exceeded: 7 });
    } finally {
      await otherDatabase.close();
    }
    const create = () => getOutcome(createUploadLink(deps, owner, { postId, inPlace: false }));
    assert.equal(await create(), "quota_exceeded");
    const [newestLink] = (await listUploadLinks(deps, owner, { postId })).links;
    await withdrawUploadLink(deps, owner, { postId, linkId: newestLink!.id });
    assert.equal(await create(), "ok", "a withdrawn link does not count");
    clock.advance(linkLifetime);
    assert.equal(await create(), "ok", "expired links do not count");
  });

  test("limits the open uploads of one user's in-chat apps to a post, even with parallel calls, so that others can upload (CHAT-14, X7)", async () => {
    const { owner, postId } = await createPostWithLinks(1);
    const member = await newMember(deps, owner, "member");
    const client = await actThroughClient(deps, member);
    const otherDatabase = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      const pools = [deps, createDeps(otherDatabase, clock)] as const;
      const calls = Array.from({ length: 10 }, (_, i) => createAppUpload(pools[i % 2]!, client, { postId }));
      assert.deepEqual(await countOutcomes(calls), { ok: maxOpenAppUploads, quota_exceeded: 10 - maxOpenAppUploads });
    } finally {
      await otherDatabase.close();
    }
    const create = (caller: Caller, post = postId) => getOutcome(createAppUpload(deps, caller, { postId: post }));
    const otherClient = await actThroughClient(deps, member, "Other client");
    assert.equal(await create(otherClient), "quota_exceeded", "all clients of a user share the limit");
    assert.equal(await create(await actThroughClient(deps, owner)), "ok", "another user");
    assert.equal(
      await create(client, (await createPost(deps, owner, { title: "", body: "" })).id),
      "ok",
      "another post",
    );
    for (const inPlace of [true, false])
      assert.equal(await getOutcome(createUploadLink(deps, member, { postId, inPlace })), "ok", "in the web app");
    clock.advance(linkLifetime);
    assert.equal(await create(client), "ok", "expired links do not count");
  });

  test("lists the newest open links of a post that had more before the limit, by an index (UPLOAD-7, X7)", async () => {
    const { owner, postId } = await createPostWithLinks(2 * maxOpenLinks);
    const { connection, listPlans } = recordPlans(fixture);
    const listingDeps = { ...deps, uploads: createUploadStore(connection) };
    const { links } = await listUploadLinks(listingDeps, owner, { postId });
    assert.equal(links.length, maxOpenLinks);
    assert.deepEqual(
      links.map(({ id }) => id),
      links
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    // PostgreSQL chooses among several indexes by its statistics.
    if (fixture.engine === "postgres") return;
    for (const { plan } of await listPlans()) assert.match(plan.join("\n"), /upload_links_open/);
  });

  test("limits the files of a link, even with parallel starts, and never below those of a post (X7)", async () => {
    const files = createHookedFiles(clock);
    const linkDeps = { ...deps, files };
    const owner = await newStudio(deps);
    const { token } = await createLibraryUploadLink(linkDeps, owner);
    const start = async (name: string) =>
      startFile(linkDeps, await resolveUploadCaller(linkDeps, token), { name, size: 1000, lastModified: 1, type: "" });
    const limit = getLinkFileLimit(deps);
    for (let i = 0; i < limit - 2; i++) await start(`${i}.jpg`);
    assert.deepEqual(await countOutcomes(["a", "b", "c", "d", "e"].map((name) => start(`${name}.jpg`))), {
      ok: 2,
      quota_exceeded: 3,
    });
    assert.equal(await getOutcome(start("0.jpg")), "ok", "a started file can resume");
    const page = await describeUploadPage(linkDeps, await resolveUploadCaller(linkDeps, token));
    assert.equal(page.files.length, limit);
    assert.equal(await files.parts.countOpen(), limit);
    assert.equal(getLinkFileLimit({ limits: { ...deps.limits, assetsPerPost: 500 } }), 500);
  });
});
