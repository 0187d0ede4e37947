import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { reschedulePublication, resolvePublication } from "#domain/publishing/change-publication.ts";
import type { PublicationView } from "#domain/model/publication.ts";
import { publishPost, publishPostInput } from "#domain/publishing/publish-post.ts";
import { unscheduledColumns } from "#domain/model/publish-time.ts";
import type { PublicationState } from "#domain/model/publication-states.ts";
import { days, hours, minutes, systemClock, toIsoTime } from "#lib/clock.ts";
import { fromNow } from "../support/clock.ts";
import { forEachEngine, type TestDeps } from "../support/engines.ts";
import { actThroughDrafter } from "../support/history-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { startPublishing } from "../support/publishing-fixture.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startForSuite } from "../support/start-for-suite.ts";

/** More characters than the sandbox accepts. */
const tooLong = "y".repeat(281);

forEachEngine("publishing at a time", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour"], { runsWorker: false }));

  async function schedule(body: string, inMs = hours(1)): Promise<{ id: string; postId: string }> {
    const { service, owner, connectionIds } = publishing;
    const postId = await publishing.newPost(body);
    const { publications } = await publishPost(service.deps, owner, { postId, connectionIds, at: fromNow(inMs) });
    return { id: publications[0]?.id ?? "", postId };
  }

  /** Changes the publication as if it had been due this long ago. */
  const setDue = (id: string, agoMs: number, columns: object = {}) => {
    const dueAt = Date.parse(fromNow(-agoMs));
    return fixture.database.q
      .updateTable("publications")
      .set({ dueAt, nextRunAt: dueAt, scheduledFor: dueAt, ...columns })
      .where("id", "=", id)
      .execute();
  };
  const readStates = async (ids: readonly string[]): Promise<PublicationState[]> => {
    const rows = await fixture.database.q
      .selectFrom("publications")
      .select(["id", "state"])
      .where("id", "in", ids)
      .execute();
    return ids.flatMap((id) => rows.find((row) => row.id === id)?.state ?? []);
  };
  /** Runs the worker until it has ended these publications. Returns their states. */
  const runUntilFinal = async (...ids: string[]): Promise<PublicationState[]> => {
    publishing.service.startWorker();
    const running = ["scheduled", "preparing", "committing"];
    const hasEnded = async () => !(await readStates(ids)).some((state) => running.includes(state));
    await waitUntil(hasEnded, { timeoutMs: 60_000 });
    await publishing.service.stopWorker();
    return readStates(ids);
  };
  const countPosts = async (text: string) =>
    (await publishing.listSandboxPosts()).filter((post) => post.text === text).length;

  test("a service that was down for 59 minutes publishes; after 61 minutes the publication is missed (PUB-9)", async () => {
    const [late, missed] = [await schedule("59 minutes"), await schedule("61 minutes")];
    await setDue(late.id, minutes(59));
    await setDue(missed.id, minutes(61));
    assert.deepEqual(await runUntilFinal(late.id, missed.id), ["published", "missed"]);
    assert.deepEqual([await countPosts("59 minutes"), await countPosts("61 minutes")], [1, 0]);
  });

  test("more overdue publications than one batch are all missed (PUB-9)", async () => {
    const { q } = fixture.database;
    const { newId } = publishing.service.deps;
    const { id, postId } = await schedule("Overdue");
    await setDue(id, hours(2));
    const post = await q.selectFrom("posts").selectAll().where("id", "=", postId).executeTakeFirstOrThrow();
    const publication = await q.selectFrom("publications").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const posts = Array.from({ length: 120 }, () => ({ ...post, id: newId("post") }));
    const copies = posts.map((copy) => ({ ...publication, id: newId("publication"), postId: copy.id }));
    await q.insertInto("posts").values(posts).execute();
    await q.insertInto("publications").values(copies).execute();
    const states = await runUntilFinal(id, ...copies.map((copy) => copy.id));
    assert.deepEqual(new Set(states), new Set(["missed"]));
    assert.equal(await countPosts("Overdue"), 0);
  });

  test("an interrupted run that is older than an hour fails instead of publishing late (PUB-9)", async () => {
    const [waiting, preparing] = [await schedule("Waiting"), await schedule("Preparing")];
    const startedAt = Date.parse(fromNow(-minutes(61)));
    await setDue(waiting.id, minutes(61), { startedAt });
    await setDue(preparing.id, minutes(61), {
      startedAt,
      state: "preparing",
      nextRunAt: null,
      leaseExpiresAt: startedAt,
    });
    assert.deepEqual(await runUntilFinal(waiting.id, preparing.id), ["failed", "failed"]);
    assert.deepEqual([await countPosts("Waiting"), await countPosts("Preparing")], [0, 0]);
  });

  test("a rescheduled publication is scheduled if the caller may publish and the content is approved, otherwise proposed (PUB-10)", async () => {
    const { service, owner, connectionIds } = publishing;
    const client = await actThroughDrafter(service.deps, owner);
    const at = fromNow(hours(1));
    const reschedule = async (caller: typeof owner, publicationId: string) =>
      (await reschedulePublication(service.deps, caller, { publicationId, at })).state;
    const missed = await Promise.all(
      ["By the owner", "By the client", "Edited", "Replaced"].map((body) => schedule(body)),
    );
    for (const { id } of missed) await setDue(id, minutes(61));
    await runUntilFinal(...missed.map(({ id }) => id));
    const [byOwner, byClient, edited, replaced] = missed;
    assert.ok(byOwner && byClient && edited && replaced);
    assert.equal(await reschedule(owner, byOwner.id), "scheduled");
    assert.equal(await reschedule(client, byClient.id), "proposed");
    await updatePost(service.deps, client, { postId: edited.postId, body: "Edited by the client", revision: 1 });
    assert.equal(await reschedule(owner, edited.id), "proposed", "the edit is not approved");
    await publishPost(service.deps, owner, { postId: replaced.postId, connectionIds, at });
    assert.equal(await getOutcome(() => reschedule(owner, replaced.id)), "already_scheduled");
  });

  for (const state of ["proposed", "scheduled"] as const) {
    test(`a ${state} publication can be postponed even if the platform would reject the post now (PUB-10)`, async () => {
      const { service, owner } = publishing;
      const { deps } = service;
      const { id, postId } = await schedule(`Short, ${state}`);
      if (state === "proposed")
        await deps.writes.publications.update(id, { ...unscheduledColumns, state }, { states: ["scheduled"] });
      await updatePost(deps, owner, { postId, body: tooLong });
      const at = fromNow(hours(2));
      const publication = await reschedulePublication(deps, owner, { publicationId: id, at });
      assert.deepEqual([publication.state, publication.scheduledFor], [state, at]);
    });
  }

  for (const [state, change] of [
    ["missed", (deps, owner, id) => reschedulePublication(deps, owner, { publicationId: id, at: fromNow(hours(2)) })],
    ["unconfirmed", (deps, owner, id) => resolvePublication(deps, owner, { publicationId: id, outcome: "retry" })],
  ] as [PublicationState, (deps: TestDeps, owner: Caller, id: string) => Promise<PublicationView>][])
    test(`a publication that is ${state} is not scheduled again while the platform would reject the post (PUB-5, PUB-10, PUB-15)`, async () => {
      const { service, owner } = publishing;
      const { deps } = service;
      const { id, postId } = await schedule(`Short, ${state}`);
      await deps.writes.publications.update(id, { ...unscheduledColumns, state }, { states: ["scheduled"] });
      await updatePost(deps, owner, { postId, body: tooLong });
      assert.equal(await getOutcome(() => change(deps, owner, id)), "not_publishable");
      assert.deepEqual(await readStates([id]), [state]);
      await updatePost(deps, owner, { postId, body: `Short again, ${state}` });
      assert.equal((await change(deps, owner, id)).state, "scheduled");
    });

  test("accepts times up to one calendar year ahead and five minutes ago (PUB-5)", async () => {
    const { service, owner, connectionIds } = publishing;
    const request = async (at: string) => {
      const postId = await publishing.newPost("Time");
      return getOutcome(() => publishPost(service.deps, owner, { postId, connectionIds, at, propose: true }));
    };
    const inOneYear = new Date(fromNow(0));
    inOneYear.setUTCFullYear(inOneYear.getUTCFullYear() + 1);
    assert.equal(await request(toIsoTime(inOneYear.getTime() - minutes(1))), "ok");
    assert.equal(await request(fromNow(-minutes(4))), "ok");
    for (const at of [toIsoTime(inOneYear.getTime() + days(1)), fromNow(-minutes(6))])
      assert.equal(await request(at), "invalid_input", at);
  });

  test("the process clock may jump: the database clock decides when a publication is due (PUB-9)", async () => {
    const { service, owner, connectionIds } = publishing;
    for (const jump of [hours(2), -hours(2)]) {
      const body = `Jump ${jump}`;
      const postId = await publishing.newPost(body);
      const deps = { ...service.deps, clock: () => systemClock() + jump };
      const { publications } = await publishPost(deps, owner, { postId, connectionIds });
      await runUntilFinal(publications[0]?.id ?? "");
      assert.equal(await countPosts(body), 1);
    }
  });

  test("a time with an offset is stored as the moment that it names (PUB-5)", async () => {
    const { service, owner, connectionIds } = publishing;
    // The date is fixed, so the time at which it is requested is fixed, too.
    const deps = { ...service.deps, clock: () => Date.UTC(2027, 5, 1) };
    for (const at of ["2027-10-31T02:30:00+01:00", "2027-10-31T02:30+01:00"]) {
      const postId = await publishing.newPost("When clocks show 02:30 for the second time");
      const input = publishPostInput.parse({ postId, connectionIds, at, propose: true });
      const [publication] = (await publishPost(deps, owner, input)).publications;
      assert.equal(publication?.scheduledFor, "2027-10-31T01:30:00.000Z");
    }
  });
});
