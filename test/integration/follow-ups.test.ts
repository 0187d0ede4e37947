import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { limits as linkedinLimits } from "#connectors/linkedin/limits.ts";
import { findFollowUpProblems } from "#domain/model/validation/find-follow-up-problems.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { cancelPublication } from "#domain/publishing/change-publication.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { hours, seconds } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { oneSlot, startPublishing, type SandboxPostView } from "../support/publishing-fixture.ts";
import { startForSuite } from "../support/start-for-suite.ts";

forEachEngine("follow-ups", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour"], { clock: fixture.clock }));
  let connectionId: string;
  before(() => {
    [connectionId = ""] = publishing.connectionIds;
  });
  beforeEach(() => publishing.setFaults({}));

  /** Requests the publication of a thread with this text and as many parts. */
  async function request(text: string, partCount: number, options = {}) {
    const { service, owner, newPost, requestPublication } = publishing;
    const postId = await newPost(text);
    const followUps = Array.from({ length: partCount - 1 }, (_, i) => `${text}, part ${i + 2}`);
    await updatePost(service.deps, owner, { postId, variants: [{ connectionId, followUps, ...options }] });
    const { id } = await requestPublication(postId, [connectionId]);
    return { id, postId };
  }

  /** The texts of the public parts, after checking that each replies to the one before. */
  async function readThread(text: string): Promise<string[]> {
    const posts = (await publishing.listSandboxPosts()).filter((post) => post.text.startsWith(text));
    const thread: SandboxPostView[] = [];
    for (let parent: string | null = null; ;) {
      const replies = posts.filter(({ replyTo }) => replyTo === parent);
      assert.ok(replies.length <= 1, `${replies.length} replies to ${parent}`);
      const [reply] = replies;
      if (!reply) break;
      thread.push(reply);
      parent = reply.id;
    }
    assert.equal(thread.length, posts.length, "no part is outside the thread");
    return thread.map((post) => post.text.slice(text.length));
  }

  const whole = (partCount: number) => ["", ...Array.from({ length: partCount - 1 }, (_, i) => `, part ${i + 2}`)];
  const callContinue = (id: string) => publishing.api("POST", `/publications/${id}/continue`);

  test("publishes each part as a reply to the one before, with the options of the post (FOLLOW-1)", async () => {
    const { id } = await request("A thread", 5, { options: { visibility: "unlisted" } });
    await publishing.run(id);
    const view = await publishing.api("GET", `/publications/${id}`);
    assert.deepEqual([view.body["state"], view.body["publishedAt"]], ["publishing", null]);
    assert.deepEqual(await readThread("A thread"), whole(1));
    const { url, problem, publishedAt } = await publishing.waitForState(id, "published");
    assert.deepEqual([problem, await readThread("A thread")], [null, whole(5)]);
    const posts = (await publishing.listSandboxPosts()).filter(({ text }) => text.startsWith("A thread"));
    assert.ok(posts.every(({ options }) => options["visibility"] === "unlisted"));
    const { body } = await publishing.api("GET", `/publications/${id}`);
    const parts = body["parts"] as { url: string; publishedAt: string }[];
    assert.deepEqual([parts.length, parts[0]?.url, parts[0]?.publishedAt], [5, url, publishedAt]);
    assert.equal((await callContinue(id)).body["code"], "too_late", "nothing is missing");
  });

  test("lost responses and outages at every part repeat no part (FOLLOW-1, PUB-2)", async () => {
    const { id } = await request("Lost", 4);
    await publishing.setFaults({ dropResponses: 2, unavailableNext: 1 });
    for (let part = 0; part < 4; part++) {
      await publishing.run(id);
      await publishing.setFaults({ dropResponses: 1, unavailableNext: part % 2 });
    }
    assert.equal((await publishing.waitForState(id, "published")).problem, null);
    assert.deepEqual(await readThread("Lost"), whole(4));
  });

  test("a worker takes over a thread at any part (FOLLOW-1, PUB-7)", async () => {
    const { service, run, waitForState, owner } = publishing;
    const { id } = await request("Taken over", 3);
    await run(id);
    for (let i = 0; i < 2; i++) {
      // The claim of a worker that then does nothing.
      const { nextRunAt } = (await service.deps.publications.find(owner.studio.id, id)) ?? {};
      fixture.clock.advance(Math.max(0, (nextRunAt ?? 0) - fixture.clock()));
      const claim = { now: fixture.clock(), leaseExpiresAt: fixture.clock() + seconds(30), slots: oneSlot };
      assert.equal((await service.deps.publicationRuns.claimAbandoned(claim))?.id, id);
      await run(id);
    }
    await waitForState(id, "published");
    assert.deepEqual(await readThread("Taken over"), whole(3));
  });

  test("after a part that fails, Continue sends the approved parts that are missing, not the current ones (FOLLOW-2)", async () => {
    const { service, owner, run, setFaults, waitForState } = publishing;
    const { id, postId } = await request("Continued", 5);
    await run(id);
    await run(id);
    await setFaults({ rejectNext: 1 });
    const { problem, publishedAt, state } = await waitForState(id, "published");
    assert.deepEqual([state, problem?.code], ["published", "parts_missing"]);
    assert.match(problem?.message ?? "", /^2 of 5 parts are public\. /);
    assert.deepEqual(await readThread("Continued"), whole(2));
    await updatePost(service.deps, owner, { postId, body: "Edited", variants: [] });

    const { status, body } = await callContinue(id);
    assert.deepEqual([status, body["problem"]], [200, null]);
    assert.equal((await callContinue(id)).body["code"], "too_late");
    assert.equal(await getOutcome(cancelPublication(service.deps, owner, { publicationId: id })), "too_late");
    assert.equal(await getOutcome(deletePost(service.deps, owner, { postId })), "post_in_use");
    await updatePost(service.deps, owner, { postId, body: "Edited again" });
    const ended = await waitForState(id, "published");
    assert.deepEqual([ended.problem, ended.publishedAt], [null, publishedAt]);
    assert.deepEqual(await readThread("Continued"), whole(5));
  });

  test("two people who continue at the same time start one run (FOLLOW-2)", async () => {
    const { run, setFaults, waitForState } = publishing;
    const { id } = await request("Twice", 3);
    await run(id);
    await setFaults({ rejectNext: 1 });
    await waitForState(id, "published");
    const results = await Promise.all([callContinue(id), callContinue(id), callContinue(id)]);
    assert.deepEqual(results.map(({ status }) => status).toSorted(), [200, 409, 409]);
    await waitForState(id, "published");
    assert.deepEqual(await readThread("Twice"), whole(3));
  });

  test("a part whose outcome is unknown is sent again only if a person says so (FOLLOW-3)", async () => {
    const { api, run, service, owner, setFaults, waitForState, listSandboxPosts } = publishing;
    for (const outcome of ["retry", "published"] as const) {
      const text = `Unknown ${outcome}`;
      const { id } = await request(text, 3);
      await run(id);
      await setFaults({ unavailableNext: 1000 });
      await run(id);
      fixture.clock.advance(hours(23));
      await waitForState(id, "unconfirmed");
      await setFaults({});
      assert.equal((await callContinue(id)).body["code"], "too_late");
      assert.deepEqual(await readThread(text), whole(1));
      const { status } = await api("POST", `/publications/${id}/resolve`, { outcome });
      assert.equal(status, 200);
      const { problem } = await waitForState(id, "published");
      if (outcome === "retry") {
        assert.deepEqual([problem, await readThread(text)], [null, whole(3)]);
        continue;
      }
      assert.match(problem?.message ?? "", /^2 of 3 parts are public/);
      assert.equal((await service.deps.publications.find(owner.studio.id, id))?.publicParts, 2);
      await callContinue(id);
      // The id of the second part is unknown, so the third one would not reply to it.
      assert.match((await waitForState(id, "published")).problem?.message ?? "", /^2 of 3 .* can’t be a reply/);
      assert.equal((await listSandboxPosts()).filter((post) => post.text.startsWith(text)).length, 1);
    }
  });

  test("validation counts each part, and rejects follow-ups where Atelier publishes no replies (FOLLOW-4)", async () => {
    const { service, owner } = publishing;
    const { deps } = service;
    const { id: postId } = await createPost(deps, owner, { title: "Title", body: "Text" });
    const followUps = ["a".repeat(281), " ", "fine"];
    await updatePost(deps, owner, { postId, variants: [{ connectionId, followUps }] });
    const { validation = [] } = await getPost(deps, owner, { postId });
    assert.deepEqual(
      validation[0]?.problems.map(({ level, code }) => [level, code]),
      [
        ["rejected", "follow_up_too_long"],
        ["rejected", "follow_up_empty"],
      ],
    );
    const unsupported = await findFollowUpProblems(
      { name: "LinkedIn", canReply: false },
      linkedinLimits,
      ["fine"],
      async (check) => check(),
    );
    assert.deepEqual(
      unsupported.map(({ code }) => code),
      ["follow_ups_unsupported"],
    );
    const { status, body } = await publishing.api("POST", `/posts/${postId}/publications`, {
      connectionIds: [connectionId],
    });
    assert.deepEqual([status, body["code"]], [409, "not_publishable"]);
    const { variants } = await updatePost(deps, owner, { postId, variants: [{ connectionId, followUps: [] }] });
    assert.deepEqual(variants, [], "no follow-ups are stored as none");
  });
});
