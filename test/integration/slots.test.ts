import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { cancelPublication, reschedulePublication } from "#domain/publishing/change-publication.ts";
import type { PublicationView } from "#domain/model/publication.ts";
import { listCalendar } from "#domain/publishing/list-calendar.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { getSlots, setSlots } from "#domain/publishing/slots.ts";
import { updateStudio } from "#domain/studios/studios.ts";
import { days, toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { isLongRun } from "../support/long-run.ts";
import { getOutcome } from "../support/outcome.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { newPublication, startPublishing } from "../support/publishing-fixture.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { newStudio } from "../support/users.ts";

// The test clock starts on Thursday, 1 January 2026.
const monday = 1;
const friday = 5;

forEachEngine("slots", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, [], { clock: fixture.clock }));
  const getDeps = () => publishing.service.deps;

  async function newSlots(slots: Record<string, readonly [weekday: number, time: string][]>) {
    const owner = await newStudio(getDeps());
    const ids: Record<string, string> = {};
    for (const account of Object.keys(slots)) ids[account] = await newConnection(getDeps(), owner, account, "sandbox");
    await setSlots(getDeps(), owner, {
      slots: Object.entries(slots).flatMap(([account, times]) =>
        times.map(([weekday, time]) => ({ connectionId: ids[account] ?? "", weekday, time })),
      ),
    });
    return { owner, ids };
  }

  async function publish(caller: Caller, connectionIds: string[], input: object = {}): Promise<PublicationView[]> {
    const { id: postId } = await createPost(getDeps(), caller, { title: "Title", body: "Text" });
    return (await publishPost(getDeps(), caller, { postId, connectionIds, at: "next_slot", ...input })).publications;
  }
  const getTimes = (publications: readonly PublicationView[]) => publications.map((p) => p.scheduledFor?.slice(0, 16));
  const getTimeOf = async (...args: Parameters<typeof publish>) => getTimes(await publish(...args))[0];

  test("are replaced as a whole, sorted, and reject duplicates and unknown accounts (SLOT-1)", async () => {
    const { owner, ids } = await newSlots({ harbour: [[friday, "09:00"]] });
    const connectionId = ids["harbour"] ?? "";
    const slots = [
      { connectionId, weekday: 7, time: "23:59" },
      { connectionId, weekday: monday, time: "08:00" },
    ];
    assert.deepEqual(await setSlots(getDeps(), owner, { slots }), { slots: slots.toReversed() });
    const otherOwner = await newStudio(getDeps());
    assert.equal(await getOutcome(setSlots(getDeps(), otherOwner, { slots })), "not_found");
    assert.deepEqual(await getSlots(getDeps(), owner), { slots: slots.toReversed() });
    assert.deepEqual(await setSlots(getDeps(), owner, { slots: [] }), { slots: [] });
  });

  test("the API rejects a duplicate, an invalid slot and an invalid time to publish (SLOT-1, SLOT-2)", async () => {
    const connectionId = await newConnection(getDeps(), publishing.owner, "api", "sandbox");
    const slot = { connectionId, weekday: monday, time: "09:00" };
    const put = async (...slots: object[]) => (await publishing.api("PUT", "/slots", { slots })).body["code"];
    assert.equal(await put(slot, { ...slot }), "invalid_input");
    for (const invalid of [{ time: "24:00" }, { time: "9:00" }, { weekday: 0 }, { weekday: 8 }, { weekday: 1.5 }])
      assert.equal(await put({ ...slot, ...invalid }), "invalid_input", JSON.stringify(invalid));
    assert.equal(await put({ ...slot, connectionId: getDeps().newId("platformConnection") }), "not_found");
    assert.equal(await put(slot), undefined);
    assert.deepEqual((await publishing.api("GET", "/slots")).body, { slots: [slot] });
    const postId = await publishing.newPost("Text");
    const request = (at: string) =>
      publishing.api("POST", `/posts/${postId}/publications`, { connectionIds: [connectionId], at });
    assert.match(String((await request("next-slot")).body["detail"]), /^at: expected /);
    const { status, body } = await request("next_slot");
    assert.equal(status, 201);
    const [publication] = body["publications"] as PublicationView[];
    assert.equal(publication?.scheduledFor, "2026-01-05T09:00:00.000Z");
  });

  test("parallel replacements leave the slots of one of them (SLOT-1)", async () => {
    const { owner, ids } = await newSlots({ harbour: [] });
    const connectionId = ids["harbour"] ?? "";
    const replacements = Array.from({ length: 8 }, (_, hour) =>
      [monday, friday].map((weekday) => ({ connectionId, weekday, time: `0${hour}:00` })),
    );
    await Promise.all(replacements.map((slots) => setSlots(getDeps(), owner, { slots })));
    const { slots } = await getSlots(getDeps(), owner);
    assert.ok(replacements.some((replacement) => JSON.stringify(replacement) === JSON.stringify(slots)));
  });

  test("each account of a request gets its own earliest free slot (SLOT-2)", async () => {
    const { owner, ids } = await newSlots({
      harbour: [[friday, "09:00"]],
      quay: [
        [monday, "10:00"],
        [friday, "08:00"],
      ],
    });
    const both = [ids["quay"] ?? "", ids["harbour"] ?? ""];
    assert.deepEqual(getTimes(await publish(owner, both)), ["2026-01-02T08:00", "2026-01-02T09:00"]);
    assert.deepEqual(getTimes(await publish(owner, both)), ["2026-01-05T10:00", "2026-01-09T09:00"]);
  });

  test("an open publication at exactly the time of a slot occupies it, also a proposed one (SLOT-2)", async () => {
    const { owner, ids } = await newSlots({ harbour: [[friday, "09:00"]] });
    const account = [ids["harbour"] ?? ""];
    await publish(owner, account, { at: "2026-01-02T09:00:00Z", propose: true });
    await publish(owner, account, { at: "2026-01-09T10:00:00+01:00" });
    await publish(owner, account, { at: "2026-01-16T09:00:01Z" });
    assert.equal(await getTimeOf(owner, account), "2026-01-16T09:00");
    const [proposal] = await publish(owner, account, { propose: true });
    assert.deepEqual([proposal?.state, proposal?.scheduledFor], ["proposed", "2026-01-23T09:00:00.000Z"]);
    assert.equal(await getTimeOf(owner, account), "2026-01-30T09:00");
  });

  test("a slot is free again once its publication is canceled or moved, and a publication can return (SLOT-2)", async () => {
    const { owner, ids } = await newSlots({ harbour: [[friday, "09:00"]] });
    const account = [ids["harbour"] ?? ""];
    const [moved] = await publish(owner, account);
    const [canceled] = await publish(owner, account);
    await cancelPublication(getDeps(), owner, { publicationId: canceled?.id ?? "" });
    await reschedulePublication(getDeps(), owner, { publicationId: moved?.id ?? "", at: "2026-01-03T12:00:00Z" });
    assert.equal(await getTimeOf(owner, account), "2026-01-02T09:00");
    await reschedulePublication(getDeps(), owner, { publicationId: moved?.id ?? "", at: "2026-01-02T09:00:00Z" });
    assert.equal(await getTimeOf(owner, account), "2026-01-09T09:00");
  });

  test("without a free slot within 60 days, nothing is requested for any account (SLOT-3, ERR-no_free_slot)", async () => {
    const { owner, ids } = await newSlots({ harbour: [[friday, "09:00"]], quay: [] });
    const [harbour = "", quay = ""] = [ids["harbour"], ids["quay"]];
    assert.equal(await getOutcome(publish(owner, [harbour, quay])), "no_free_slot");
    for (let i = 0; i < 9; i++) await publish(owner, [harbour]);
    assert.equal(await getOutcome(publish(owner, [harbour])), "no_free_slot");
    const last = await getDeps().publications.list(owner.studio.id, { limit: 100 });
    assert.deepEqual([last.length, last[0]?.scheduledFor], [9, Date.parse("2026-02-27T09:00Z")]);
  });

  test("a repeated call returns the first result, and a post with an open publication is rejected (SLOT-2)", async () => {
    const { owner, ids } = await newSlots({ harbour: [[friday, "09:00"]] });
    const { id: postId } = await createPost(getDeps(), owner, { title: "Title", body: "Text" });
    const input = { postId, connectionIds: [ids["harbour"] ?? ""], at: "next_slot" as const, idempotencyKey: "key" };
    assert.deepEqual(await publishPost(getDeps(), owner, input), await publishPost(getDeps(), owner, input));
    const { idempotencyKey: _, ...again } = input;
    assert.equal(await getOutcome(publishPost(getDeps(), owner, again)), "already_scheduled");
  });

  test("changing the slots or the time zone moves nothing that is scheduled (SLOT-4)", async () => {
    const { owner, ids } = await newSlots({ harbour: [[friday, "09:00"]] });
    const account = [ids["harbour"] ?? ""];
    await publish(owner, account);
    await updateStudio(getDeps(), owner, { timezone: "America/New_York" });
    assert.equal(await getTimeOf(owner, account), "2026-01-02T14:00");
    await setSlots(getDeps(), owner, { slots: [] });
    const planned = await getDeps().publications.list(owner.studio.id, { limit: 10 });
    assert.deepEqual(
      planned.map(({ scheduledFor }) => toIsoTime(scheduledFor ?? 0)),
      ["2026-01-02T14:00:00.000Z", "2026-01-02T09:00:00.000Z"],
    );
  });

  test("parallel requests get every slot at most once, in order, and skip none (SLOT-2)", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const times = ["07:00", "11:30", "15:00", "19:45"];
    const everyDay = [1, 2, 3, 4, 5, 6, 7].flatMap((weekday) => times.map((time): [number, string] => [weekday, time]));
    const { owner, ids } = await newSlots(Object.fromEntries(names.map((name) => [name, everyDay])));
    const accounts = Object.values(ids);
    // What an open publication occupies is left out.
    await publish(owner, accounts.slice(0, 1), { at: "2026-01-01T11:30:00Z" });
    const count = isLongRun ? 1000 : 60;
    const requests = Array.from({ length: count }, (_, i) => {
      // Some requests name two accounts, in either order.
      const pair = [accounts[i % 5] ?? "", accounts[(i + 1) % 5] ?? ""];
      if (i % 7 > 0) return pair.slice(0, 1);
      return i % 2 === 0 ? pair : pair.toReversed();
    });
    const publications = (await Promise.all(requests.map((request) => publish(owner, request)))).flat();
    for (const account of accounts) {
      const got = publications.filter(({ connectionId }) => connectionId === account).map((p) => p.scheduledFor);
      const occupied = account === accounts[0] ? ["2026-01-01T11:30:00.000Z"] : [];
      const free = Array.from({ length: got.length + 1 }, (_, i) => {
        const day = toIsoTime(Date.UTC(2026, 0, 1) + days(Math.floor(i / 4))).slice(0, 10);
        return `${day}T${times[i % 4]}:00.000Z`;
      }).filter((time) => !occupied.includes(time));
      assert.deepEqual(got.toSorted(), free.slice(0, got.length));
    }
  });

  test("the calendar lists the free slots of connected accounts in its range, also of posts that its filter hides (SLOT-5)", async () => {
    const { owner, ids } = await newSlots({ harbour: [[friday, "09:00"]], quay: [[friday, "08:00"]], pier: [] });
    await publish(owner, [ids["harbour"] ?? ""]);
    const range = { from: "2025-12-01T00:00:00Z", to: "2026-01-16T08:30:00Z" };
    const list = async (input: object) => (await listCalendar(getDeps(), owner, { ...range, ...input })).freeSlots;
    const listFree = async () =>
      (await list({ includeSlots: true, tag: "none" }))?.map(({ account, at }) => `${account} ${at.slice(0, 16)}`);
    assert.equal(await list({}), undefined);
    const fridays = [
      "quay 2026-01-02T08:00",
      "quay 2026-01-09T08:00",
      "harbour 2026-01-09T09:00",
      "quay 2026-01-16T08:00",
    ];
    assert.deepEqual(await listFree(), fridays);
    await disconnectPlatform(getDeps(), owner, { connectionId: ids["quay"] ?? "" });
    assert.deepEqual(await listFree(), fridays.slice(2, 3));
  });

  test("a missed or failed publication does not occupy a slot (SLOT-2)", async () => {
    const { owner, ids } = await newSlots({ harbour: [[friday, "09:00"]] });
    const connectionId = ids["harbour"] ?? "";
    for (const state of ["missed", "failed"] as const) {
      const id = await newPublication(getDeps(), owner, state, "sandbox");
      const at = { connectionId, scheduledFor: Date.parse("2026-01-02T09:00Z") };
      await fixture.database.q.updateTable("publications").set(at).where("id", "=", id).execute();
    }
    assert.equal(await getTimeOf(owner, [connectionId]), "2026-01-02T09:00");
  });
});
