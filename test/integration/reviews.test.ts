import assert from "node:assert/strict";
import { test } from "node:test";
import { revokeClient } from "#domain/access/clients.ts";
import { listActivity } from "#domain/activity/list-activity.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { maxListedReviews } from "#domain/model/review.ts";
import { decide, resolveGuest } from "#domain/reviews/guest.ts";
import { createReviewLink, shareForReview } from "#domain/reviews/review-links.ts";
import { removeMember } from "#domain/studios/members.ts";
import { days, hours, toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { addImage, startPublishing } from "../support/publishing-fixture.ts";
import { openReview, shareReview } from "../support/review-client.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { newMember } from "../support/users.ts";

forEachEngine("review links", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour", "lighthouse"], { clock: fixture.clock }));
  const edit = (postId: string, change: object) =>
    updatePost(publishing.service.deps, publishing.owner, { postId, ...change });

  test("a link shows what each account receives, and nothing of other posts (REV-1, F10)", async () => {
    const { connectionIds, service } = publishing;
    const [first = "", second = ""] = connectionIds;
    const postId = await publishing.newPost("For all");
    await addImage(publishing, postId, "A blue vase");
    const variant = { body: "For one", assetIds: [], followUps: ["A reply"] };
    await edit(postId, { variants: [{ connectionId: second, ...variant }] });
    const at = toIsoTime(fixture.clock() + hours(2));
    await publishing.requestPublication(postId, [first], { at, propose: true });
    const review = await shareReview(publishing, [postId], { message: "Please look" });
    assert.match(review.url, new RegExp(`^${service.base}/r/`));
    const session = await review.read();
    assert.deepEqual([session.studio.name, session.message, session.posts.length], ["Studio", "Please look", 1]);
    const shown = session.posts[0]?.accounts.map(({ account, text, followUps, media, scheduledFor }) => ({
      account,
      text,
      followUps,
      media: media.map(({ altText }) => altText),
      scheduledFor,
    }));
    assert.deepEqual(
      shown?.toSorted((a, b) => (a.account < b.account ? -1 : 1)),
      [
        { account: "harbour", text: "For all", followUps: [], media: ["A blue vase"], scheduledFor: at },
        { account: "lighthouse", text: "For one", followUps: ["A reply"], media: [], scheduledFor: null },
      ],
    );
    const [image] = session.posts[0]?.accounts.flatMap(({ media }) => media) ?? [];
    const response = await fetch(image?.url ?? "");
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, "image/png"]);
    const otherId = await publishing.newPost("Another post");
    assert.equal(await review.decide(otherId, "approved", "x"), "not_found");
    const comment = { postId: otherId, name: "Greta", body: "Hello" };
    assert.equal((await review.call("POST", "/comments", comment)).status, 404);
    await edit(postId, { status: "archived" });
    assert.equal((await fetch(image?.url ?? "")).status, 410);
    await edit(postId, { status: "draft" });
    assert.equal((await fetch(image?.url ?? "")).status, 200);
    await publishing.api("DELETE", `/review-links/${review.id}`);
    assert.equal((await fetch(image?.url ?? "")).status, 410);
  });

  test("a token of ours ends with its link, and any other is not found (REV-2, REV-4, F9, F10)", async () => {
    const { service, owner } = publishing;
    const { deps } = service;
    const postId = await publishing.newPost("Ending");
    const getStatus = async ({ url }: { url: string }) =>
      (await openReview(service.base, { url }).call("GET", "/session")).status;
    const member = await newMember(deps, owner, "member");
    const client = await actThroughClient(deps, owner);
    const links = {
      member: await shareForReview(deps, member, { postIds: [postId] }),
      client: await createReviewLink(deps, client, { postId }),
      archived: await shareForReview(deps, owner, { postIds: [await publishing.newPost("Archived")] }),
      withdrawn: await shareForReview(deps, owner, { postIds: [postId] }),
      expired: await shareForReview(deps, owner, { postIds: [postId], expiresInDays: 1 }),
    };
    for (const link of Object.values(links)) assert.equal(await getStatus(link), 200);
    await removeMember(deps, owner, { userId: member.user.id });
    await revokeClient(deps, owner, { grantId: client.grantId });
    await edit((await deps.reviews.listPosts(links.archived.id))[0]?.postId ?? "", { status: "archived" });
    await publishing.api("DELETE", `/review-links/${links.withdrawn.id}`);
    const expired = openReview(service.base, links.expired);
    const { digest } = (await expired.read()).posts[0] ?? {};
    const slowGuest = await resolveGuest(deps, links.expired.url.split("/r/")[1] ?? "");
    const lateDecision = { postId, digest: digest ?? "", decision: "approved", name: "Greta" } as const;
    fixture.clock.advance(days(2));
    for (const [name, link] of Object.entries(links)) assert.equal(await getStatus(link), 410, name);
    assert.equal(await expired.decide(postId, "approved", digest), "review_ended");
    assert.equal(await getOutcome(decide(deps, slowGuest, lateDecision)), "review_ended");
    const token = links.withdrawn.url.split("/r/")[1] ?? "";
    for (const forged of [
      "",
      "x",
      `${token}x`,
      token.replace(/^./, "x"),
      deps.signer.sign("upload", { link: "x" }, 1e15),
    ])
      assert.equal(await getStatus({ url: `/r/${forged}` }), 404, forged);
    const rows = JSON.stringify(await fixture.database.q.selectFrom("reviewLinks").selectAll().execute());
    assert.ok(!rows.includes(token) && !rows.includes(token.split(".")[1] ?? "-"));
  });

  test("a decision covers what was shown, is rejected after an edit, and is outdated while it differs (REV-3)", async () => {
    const postId = await publishing.newPost("Version 1");
    const review = await shareReview(publishing, [postId]);
    const getDecision = async () => (await review.read()).posts[0]?.decision;
    const { digest } = (await review.read()).posts[0] ?? {};
    await edit(postId, { body: "Version 2" });
    assert.equal(await review.decide(postId, "approved", digest), "revision_conflict");
    assert.equal(await getDecision(), null);
    assert.equal(await review.decide(postId, "approved"), "ok");
    assert.deepEqual([(await getDecision())?.state, (await getDecision())?.name], ["approved", "Greta"]);
    const input = { postId, digest: (await review.read()).posts[0]?.digest, decision: "approved", name: "Greta" };
    assert.deepEqual((await review.call("POST", "/decisions", input)).body, await getDecision());
    await edit(postId, { tags: ["spring"], status: "ready" });
    assert.equal((await getDecision())?.state, "approved");
    await edit(postId, { body: "Version 3" });
    const [post] = (await review.read()).posts;
    assert.equal(post?.decision?.state, "outdated");
    assert.deepEqual(
      post.accounts.map(({ text, before }) => [text, before?.text]),
      [1, 2].map(() => ["Version 3", "Version 2"]),
    );
    await edit(postId, { body: "Version 2" });
    assert.equal((await getDecision())?.state, "approved");
    await addImage(publishing, postId, "A vase");
    assert.equal((await getDecision())?.state, "outdated");
    const { body } = await publishing.api("GET", `/review-links?postId=${postId}`);
    const [link] = body["reviewLinks"] as { id: string; decisions: { state: string; postId: string }[] }[];
    assert.deepEqual([link?.id, link?.decisions.map(({ state }) => state)], [review.id, ["outdated"]]);
  });

  test("without any account, a decision covers the post itself (REV-3)", async () => {
    const empty = await startPublishing(fixture, [], { clock: fixture.clock });
    try {
      const postId = await empty.newPost("Nowhere yet");
      const review = await shareReview(empty, [postId]);
      assert.equal(await review.decide(postId, "approved"), "ok");
      await updatePost(empty.service.deps, empty.owner, { postId, title: "Another title" });
      assert.equal((await review.read()).posts[0]?.decision?.state, "outdated");
    } finally {
      await empty.close();
    }
  });

  test("guests appear as unverified, with the link's client and without its maker (REV-5, REV-7, ACT-1, F10)", async () => {
    const { service, owner } = publishing;
    const { deps } = service;
    const postId = await publishing.newPost("By a client");
    const client = await actThroughClient(deps, owner);
    const input = { postIds: [postId], holdsPublishing: true };
    assert.equal(await getOutcome(shareForReview(deps, client, input)), "forbidden");
    const review = openReview(service.base, await createReviewLink(deps, client, { postId, message: "For Greta" }));
    await review.decide(postId, "changes_requested");
    await review.call("POST", "/comments", { postId, name: "Ada (owner)", body: "<script>alert(1)</script>" });
    const { activity } = await listActivity(deps, owner, { limit: 10 });
    assert.deepEqual(
      activity
        .filter(({ action, subjectId }) => action.startsWith("review.") && subjectId === postId)
        .map(({ action, user, client: actor, detail }) => [action, user?.id, actor?.name, detail["guest"]]),
      [
        ["review.commented", undefined, "Claude", { name: "Ada (owner)", unverified: true }],
        ["review.changes_requested", undefined, "Claude", { name: "Greta", unverified: true }],
        ["review.viewed", undefined, "Claude", null],
        ["review.created", owner.user.id, "Claude", undefined],
      ],
    );
    const { comments } = await getPost(deps, client, { postId, includeComments: true });
    const guest = { name: "Ada (owner)", unverified: true };
    assert.deepEqual(
      comments?.map((comment) => [comment.user, comment.guest]),
      [[null, guest]],
    );
  });

  test("a guest changes only decisions and comments, within limits, and reading changes only the views (REV-4, REV-5, F10)", async () => {
    const postId = await publishing.newPost("Limits");
    const review = await shareReview(publishing, [postId]);
    const before = await fixture.deps.posts.find(publishing.owner.studio.id, postId);
    const comment = { postId, name: "Greta", body: "A" };
    for (const body of [
      { ...comment, name: "A".repeat(81) },
      { ...comment, name: "Greta \u202Enimda" },
      { ...comment, name: " \u200b " },
      { ...comment, body: "A".repeat(2001) },
      { ...comment, visibility: "team" },
    ])
      assert.equal((await review.call("POST", "/comments", body)).status, 400);
    const parallel = Array.from({ length: 60 }, () => review.call("POST", "/comments", comment));
    const statuses = (await Promise.all(parallel)).map(({ status }) => status);
    assert.deepEqual([statuses.filter((status) => status === 201).length, statuses.includes(409)], [50, true]);
    await Promise.all([review.read(), review.read()]);
    assert.deepEqual(await fixture.deps.posts.find(publishing.owner.studio.id, postId), before);
    const { body } = await publishing.api("GET", `/review-links?postId=${postId}`);
    assert.equal((body["reviewLinks"] as { viewCount: number }[])[0]?.viewCount, 1);
    assert.equal((await publishing.api("POST", `/posts/${postId}/comments`, { body: "Ours" })).status, 201);
  });

  test("guests see the team's comments only if a person shows them, and no other link's (REV-6)", async () => {
    const { api } = publishing;
    const postId = await publishing.newPost("Comments");
    const [review, other] = [await shareReview(publishing, [postId]), await shareReview(publishing, [postId])];
    const { body: team } = await api("POST", `/posts/${postId}/comments`, { body: "Between us" });
    assert.equal(team["visibility"], "team");
    await api("POST", `/posts/${postId}/comments`, { body: "For you", visibility: "guests" });
    const { body: own } = await review.call("POST", "/comments", { postId, name: "Greta", body: "Mine" });
    const list = async (link: typeof review) => (await link.read()).posts[0]?.comments.map(({ body }) => body);
    assert.deepEqual([await list(review), await list(other)], [["For you", "Mine"], ["For you"]]);
    const setVisibility = (id: unknown, visibility: string) =>
      api("PATCH", `/posts/${postId}/comments/${String(id)}`, { visibility });
    assert.equal((await setVisibility(team["id"], "guests")).body["visibility"], "guests");
    assert.deepEqual(await list(other), ["Between us", "For you"]);
    await setVisibility(team["id"], "team");
    assert.deepEqual(await list(other), ["For you"]);
    assert.equal((await setVisibility(own["id"], "team")).status, 400);
    await api("DELETE", `/posts/${postId}/comments/${String(team["id"])}`);
  });

  test("a link has 1 to 50 posts of the studio and at most 30 days (REV-1)", async () => {
    const { api } = publishing;
    const postId = await publishing.newPost("Bounds");
    const unknownId = fixture.deps.newId("post");
    for (const [body, status] of [
      [{ postIds: [] }, 400],
      [{ postIds: Array.from({ length: 51 }, () => postId) }, 400],
      [{ postIds: [postId], expiresInDays: 31 }, 400],
      [{ postIds: [postId, unknownId] }, 404],
      [{ postIds: [postId], expiresInDays: 30 }, 201],
    ] as const)
      assert.equal((await api("POST", "/review-links", body)).status, status, JSON.stringify(body));
  });

  test("lists show and filter by what guests decided, without withdrawn links and expired ones (REV-8)", async () => {
    const { api } = publishing;
    const label = { tags: ["reviewed"] };
    const ids = new Map<string, string>();
    const links = new Map<string, Awaited<ReturnType<typeof shareReview>>>();
    const add = async (name: string, options?: object) => {
      const postId = await publishing.newPost(name);
      await edit(postId, label);
      ids.set(postId, name);
      if (options) links.set(name, await shareReview(publishing, [postId], options));
      return { postId, decide: async (choice: string) => links.get(name)?.decide(postId, choice) };
    };
    const list = async (query: string) => {
      const { body } = await api("GET", `/post-summaries?${query}`);
      const found = body["posts"] as { id: string; review: string | null }[];
      return Object.fromEntries(found.flatMap(({ id, review }) => (ids.has(id) ? [[ids.get(id), review]] : [])));
    };
    await add("None");
    await add("Expired", { expiresInDays: 1 });
    await add("Held", { expiresInDays: 1, holdsPublishing: true });
    fixture.clock.advance(days(2));
    await add("Waiting", {});
    await (await add("Approved", {})).decide("approved");
    const outdated = await add("Outdated", {});
    await outdated.decide("approved");
    await edit(outdated.postId, { body: "Changed" });
    const both = await add("Both", {});
    await both.decide("changes_requested");
    await (await shareReview(publishing, [both.postId])).decide(both.postId, "approved");
    const withdrawn = await add("Withdrawn", {});
    await withdrawn.decide("approved");
    await api("DELETE", `/review-links/${links.get("Withdrawn")?.id}`);

    const all = {
      ...{ None: null, Expired: null, Held: "waiting", Waiting: "waiting", Approved: "approved" },
      ...{ Outdated: "outdated", Both: "changes_requested", Withdrawn: null },
    };
    assert.deepEqual(await list("limit=100"), all);
    for (const state of ["waiting", "approved", "outdated", "changes_requested"]) {
      const expected = Object.fromEntries(Object.entries(all).filter(([, review]) => review === state));
      assert.deepEqual(await list(`limit=100&review=${state}`), expected);
      assert.deepEqual(await list(`limit=100&review=${state}&tag=reviewed&stage=editing`), expected);
    }
    const { body } = await api("GET", "/post-count?review=waiting");
    assert.equal(body["isTruncated"], false);
    for (let i = 0; i < maxListedReviews; i++) await shareReview(publishing, [both.postId]);
    assert.equal((await list("limit=100"))["Both"], "waiting", "only the newest links count");
    assert.equal((await api("GET", "/post-summaries?review=waiting&stage=scheduled&order=soonest")).status, 400);
  });

  test("a page with more text than can be sent at once is rejected (REV-1, F7)", async () => {
    const followUps = Array.from({ length: 11 }, () => "a".repeat(100_000));
    const postIds = [await publishing.newPost("Long"), await publishing.newPost("Longer")];
    for (const postId of postIds)
      await edit(postId, { variants: [{ connectionId: publishing.connectionIds[0] ?? "", followUps }] });
    const [one, both] = [await shareReview(publishing, postIds.slice(1)), await shareReview(publishing, postIds)];
    assert.equal((await one.call("GET", "/session")).status, 200);
    assert.equal((await both.call("GET", "/session")).body["code"], "quota_exceeded");
  });
});
