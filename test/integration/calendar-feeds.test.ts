import assert from "node:assert/strict";
import { test } from "node:test";
import ICAL from "ical.js";
import { createCalendarFeedStore } from "#db/calendar-feeds.ts";
import { disableUser, enableUser } from "#domain/operator/user-access.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { cancelPublication, reschedulePublication } from "#domain/publishing/change-publication.ts";
import { createCalendarFeed, listCalendarFeeds, revokeCalendarFeed } from "#domain/publishing/calendar-feeds.ts";
import { formatICalendar } from "#domain/model/icalendar.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { removeMember } from "#domain/studios/members.ts";
import { days, hours, minutes, toIsoTime } from "#lib/clock.ts";
import { forEachEngine, forOneEngine } from "../support/engines.ts";
import { newPublication, startPublishing } from "../support/publishing-fixture.ts";
import { recordPlans } from "../support/query-plans.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { newMember } from "../support/users.ts";

interface ParsedEvent {
  uid: string;
  start: string;
  summary: string;
  status: unknown;
  sequence: number;
  description: string;
}

/** Parses a calendar with an independent parser, and checks what it does not. */
function parse(text: string): Map<string, ParsedEvent> {
  assert.ok(text.endsWith("\r\n"));
  for (const line of text.split("\r\n")) {
    assert.ok(Buffer.byteLength(line) <= 75, line);
    assert.doesNotMatch(line, /[\r\n]/);
    assert.equal(Buffer.from(line).toString(), line, "a character is split");
  }
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[]);
  assert.equal(calendar.getFirstPropertyValue("version"), "2.0");
  const events = calendar.getAllSubcomponents("vevent").map((component) => {
    const event = new ICAL.Event(component);
    assert.equal(event.startDate.zone, ICAL.Timezone.utcTimezone);
    assert.equal(event.endDate.subtractDate(event.startDate).toSeconds(), 900);
    const { uid, summary, sequence, description } = event;
    const status: unknown = component.getFirstPropertyValue("status");
    return { uid, summary, sequence, description, status, start: toIsoTime(event.startDate.toJSDate().getTime()) };
  });
  const byUid = new Map(events.map((event) => [event.uid, event]));
  assert.equal(byUid.size, events.length, "each event once");
  return byUid;
}

forEachEngine("calendar feeds", (fixture) => {
  const publishing = startForSuite(() =>
    startPublishing(fixture, ["harbour"], { clock: fixture.clock, config: { areRateLimitsEnabled: true } }),
  );
  const getDeps = () => publishing.service.deps;

  async function readFeed(url: string, headers: Record<string, string> = {}) {
    const response = await fetch(url, { headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const inHours = (count: number): string => toIsoTime(fixture.clock() + hours(count));
  const schedule = async (title: string, at: string, input: object = {}) => {
    const { owner, connectionIds } = publishing;
    const { id: postId } = await createPost(getDeps(), owner, { title, body: "Text" });
    const { publications } = await publishPost(getDeps(), owner, { postId, connectionIds, at, ...input });
    return { postId, publicationId: publications[0]?.id ?? "" };
  };

  test("a member has one feed per studio, whose URL ends with a new one, a revocation or the membership (FEED-1, T1)", async () => {
    const { owner } = publishing;
    const member = await newMember(getDeps(), owner, "member");
    const first = await createCalendarFeed(getDeps(), member);
    assert.match(first.url, new RegExp(`^${publishing.service.base}/calendar/[\\w-]{43}\\.ics$`));
    assert.equal((await readFeed(first.url)).status, 200);
    const second = await createCalendarFeed(getDeps(), member);
    assert.deepEqual([(await readFeed(first.url)).status, (await readFeed(second.url)).status], [404, 200]);
    const [listed] = (await listCalendarFeeds(getDeps(), member)).calendarFeeds;
    assert.deepEqual(listed, { createdAt: toIsoTime(fixture.clock()) });
    assert.deepEqual(await listCalendarFeeds(getDeps(), owner), { calendarFeeds: [] });
    await revokeCalendarFeed(getDeps(), member);
    assert.equal((await readFeed(second.url)).status, 404);
    const third = await createCalendarFeed(getDeps(), member);
    await disableUser(getDeps(), { operator: true }, { user: member.user.id });
    assert.equal((await readFeed(third.url)).status, 404);
    await enableUser(getDeps(), { operator: true }, { user: member.user.id });
    assert.equal((await readFeed(third.url)).status, 404);
    const otherMember = await newMember(getDeps(), owner, "member");
    const fourth = await createCalendarFeed(getDeps(), otherMember);
    assert.equal((await readFeed(fourth.url)).status, 200);
    await removeMember(getDeps(), owner, { userId: otherMember.user.id });
    assert.equal((await readFeed(fourth.url)).status, 404);
    const stored = await fixture.database.q.selectFrom("calendarFeeds").selectAll().execute();
    assert.deepEqual(stored, []);
  });

  test("changes and cancellations are updates of the same events (FEED-2)", async () => {
    const { owner } = publishing;
    const { url } = await createCalendarFeed(getDeps(), owner);
    const moved = await schedule("Moved", inHours(1));
    const canceled = await schedule("Canceled", inHours(2));
    const proposed = await schedule("Proposed", inHours(3), { propose: true });
    const before = parse((await readFeed(url)).text);
    const find = (events: Map<string, ParsedEvent>, publicationId: string) => {
      const { hostname, port } = new URL(publishing.service.base);
      return events.get(`${publicationId}@${hostname}:${port}`) ?? assert.fail(publicationId);
    };
    const start = find(before, moved.publicationId);
    assert.deepEqual(
      [start.status, start.start, start.summary],
      ["CONFIRMED", inHours(1), "Moved – harbour (sandbox)"],
    );
    assert.equal(find(before, proposed.publicationId).status, "TENTATIVE");
    assert.ok(start.description.endsWith(`/studios/${owner.studio.id}/posts/${moved.postId}`));

    const at = inHours(30);
    await reschedulePublication(getDeps(), owner, { publicationId: moved.publicationId, at });
    await cancelPublication(getDeps(), owner, { publicationId: canceled.publicationId });
    await updatePost(getDeps(), owner, { postId: proposed.postId, title: "Retitled" });
    const after = parse((await readFeed(url)).text);
    assert.deepEqual([...after.keys()].toSorted(), [...before.keys()].toSorted());
    assert.equal(find(after, moved.publicationId).start, at);
    assert.equal(find(after, canceled.publicationId).status, "CANCELLED");
    assert.match(find(after, proposed.publicationId).summary, /^Retitled/);
    for (const [uid, event] of after)
      assert.ok(event.sequence > (before.get(uid)?.sequence ?? Infinity), event.summary);
  });

  test("published posts link to the platform; what failed is canceled, and other studios are left out (FEED-2)", async () => {
    const { url } = await createCalendarFeed(getDeps(), publishing.owner);
    const { publicationId } = await schedule("Goes out", inHours(1));
    fixture.clock.advance(hours(1));
    const { url: publicUrl } = await publishing.waitForState(publicationId, "published");
    const failed = await newPublication(getDeps(), publishing.owner, "failed", "sandbox");
    const scheduledFor = fixture.clock();
    await fixture.database.q.updateTable("publications").set({ scheduledFor }).where("id", "=", failed).execute();
    await newPublication(getDeps(), await newMember(getDeps(), publishing.owner, "member"), "proposed", "sandbox");
    const events = [...parse((await readFeed(url)).text)];
    const published = events.find(([uid]) => uid.startsWith(publicationId))?.[1];
    assert.ok(publicUrl && published?.description.includes(publicUrl));
    assert.equal(events.find(([uid]) => uid.startsWith(failed))?.[1].status, "CANCELLED");
  });

  test("an unchanged feed is a 304, and each URL is limited (FEED-3, X7)", async () => {
    const { url } = await createCalendarFeed(getDeps(), publishing.owner);
    const { headers } = await readFeed(url);
    const etag = headers.get("etag") ?? "";
    assert.equal(headers.get("content-type"), "text/calendar; charset=utf-8");
    assert.equal((await readFeed(url, { "if-none-match": etag })).status, 304);
    const head = await fetch(url, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
    await schedule("New", inHours(1));
    assert.equal((await readFeed(url, { "if-none-match": `"other", W/${etag}` })).status, 200);
    const statuses: number[] = [];
    for (let i = 0; i < 60; i++) statuses.push((await readFeed(url)).status);
    assert.equal(statuses.at(-1), 429);
    assert.equal((await readFeed((await createCalendarFeed(getDeps(), publishing.owner)).url)).status, 200);
    fixture.clock.advance(minutes(10));
    for (let i = 0; i < 60; i++) await readFeed(`${publishing.service.base}/calendar/${"x".repeat(43)}.ics`);
    assert.equal((await readFeed(`${publishing.service.base}/calendar/wrong`)).status, 429);
  });

  test("reading a feed uses indexes (FEED-2)", async () => {
    const { connection, listPlans } = recordPlans(fixture);
    const range = { from: fixture.clock() - days(90), to: fixture.clock() + days(367), limit: 2000 };
    await createCalendarFeedStore(connection).listEntries(publishing.owner.studio.id, range);
    if (fixture.engine === "postgres") return;
    const plans = (await listPlans()).map(({ plan }) => plan.join(" "));
    assert.match(plans[0] ?? "", /publications_in_calendar/);
    assert.match(plans[1] ?? "", /publications_canceled_in_calendar/);
  });
});

forOneEngine("generated calendars", () => {
  test("500 events with any text are read as they were written, by an independent parser (FEED-2)", async () => {
    const texts = [
      "Plain",
      "a,b;c\\n\\",
      "\u{1F9E8}".repeat(40),
      "é".repeat(80),
      'line\r\nbreak\n:"quoted"',
      "a\u0000\u0007b",
    ];
    const events = Array.from({ length: 500 }, (_, i) => ({
      uid: `pub_${i}@localhost`,
      sequence: i,
      changedAt: Date.UTC(2026, 0, 1),
      startsAt: Date.UTC(2026, 0, 1) + i * hours(17),
      durationMs: minutes(15),
      status: "CONFIRMED" as const,
      summary: "x".repeat(i % 80) + (texts[i % texts.length] ?? ""),
      description: texts.slice(0, (i % texts.length) + 1).join("\n"),
      url: `https://example.com/posts/${i}?a=b,c;d`,
    }));
    const parsed = parse(await formatICalendar({ name: "Studio; one, two", events }, async () => {}));
    assert.equal(parsed.size, 500);
    for (const { uid, summary, description, startsAt } of events) {
      const clean = (text: string) => text.replaceAll("\r\n", "\n").replace(/[\u0000\u0007]/g, "");
      const event = parsed.get(uid);
      assert.deepEqual(
        [event?.summary, event?.description, event?.start],
        [clean(summary), clean(description), toIsoTime(startsAt)],
      );
    }
  });
});
