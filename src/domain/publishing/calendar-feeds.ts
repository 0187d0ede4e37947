import { days, minutes, toIsoTime } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import type { Caller } from "../caller.ts";
import { getAccountLabel } from "../model/connection.ts";
import { formatICalendar, type ICalendarEvent } from "../model/icalendar.ts";
import { toVisibleState, type VisibleState } from "../model/publication-states.ts";
import { authorize } from "../policy.ts";
import type { FeedEntry } from "../ports/calendar-feeds.ts";
import type { Deps } from "../ports/deps.ts";
import { createPause } from "../steps/pause.ts";
import { enforceRateLimit } from "../steps/rate-limit.ts";

/** The caller's feed of the studio. Its URL is never shown again. */
export async function listCalendarFeeds(
  deps: Pick<Deps, "calendarFeeds">,
  caller: Caller,
): Promise<{ calendarFeeds: { createdAt: string }[] }> {
  authorize(caller, "calendarFeeds.use");
  const feed = await deps.calendarFeeds.find(caller.studio.id, caller.user.id);
  return { calendarFeeds: feed ? [{ createdAt: toIsoTime(feed.createdAt) }] : [] };
}

/** Creates the caller's feed of the studio. An earlier URL ends. Only the hash of the token is stored. */
export async function createCalendarFeed(
  deps: Pick<Deps, "transact" | "newSecret" | "clock" | "baseUrl">,
  caller: Caller,
): Promise<{ url: string }> {
  authorize(caller, "calendarFeeds.use");
  const token = deps.newSecret();
  const feed = { studioId: caller.studio.id, userId: caller.user.id, tokenHash: sha256(token) };
  await deps.transact(caller, (tx) => tx.calendarFeeds.replace({ ...feed, createdAt: deps.clock() }));
  return { url: `${deps.baseUrl}/calendar/${token}.ics` };
}

export async function revokeCalendarFeed(deps: Pick<Deps, "transact">, caller: Caller): Promise<void> {
  authorize(caller, "calendarFeeds.use");
  await deps.transact(caller, (tx) => tx.calendarFeeds.delete(caller.studio.id, caller.user.id));
}

const pastDays = 90;
/** Publications can be planned a year ahead. */
const futureDays = 367;
const maxEvents = 2000;
const eventsPerIteration = 100;
const eventDurationMs = minutes(15);

/** The calendar for this token; undefined if no feed has it. */
export async function readCalendarFeed(
  deps: Pick<Deps, "calendarFeeds" | "rateLimits" | "clock" | "baseUrl">,
  token: string,
): Promise<string | undefined> {
  const now = deps.clock();
  const tokenHash = sha256(token);
  const studio = await deps.calendarFeeds.findStudio(tokenHash);
  if (!studio) return undefined;
  await enforceRateLimit(deps, "calendarFeed", tokenHash);
  const range = { from: now - days(pastDays), to: now + days(futureDays), limit: maxEvents };
  const entries = await deps.calendarFeeds.listEntries(studio.id, range);
  const postsUrl = `${deps.baseUrl}/studios/${studio.id}/posts`;
  const { host } = new URL(deps.baseUrl);
  const events = entries.map((entry) => toEvent(entry, postsUrl, host));
  const pause = createPause(eventsPerIteration);
  return formatICalendar({ name: studio.name, events }, () => pause(1));
}

const statuses: Partial<Record<VisibleState, ICalendarEvent["status"]>> = {
  proposed: "TENTATIVE",
  failed: "CANCELLED",
  missed: "CANCELLED",
  canceled: "CANCELLED",
};

function toEvent(entry: FeedEntry, postsUrl: string, host: string): ICalendarEvent {
  const state = toVisibleState(entry.state);
  const postUrl = `${postsUrl}/${entry.postId}`;
  const account = `${getAccountLabel(entry.account)} (${entry.platform})`;
  return {
    uid: `${entry.id}@${host}`,
    // Both only grow.
    sequence: entry.sequence + entry.postRevision,
    changedAt: Math.max(entry.createdAt, entry.postUpdatedAt, entry.state === "published" ? entry.at : 0),
    startsAt: entry.at,
    durationMs: eventDurationMs,
    status: entry.trashedAt === null ? (statuses[state] ?? "CONFIRMED") : "CANCELLED",
    summary: `${entry.title || "Untitled post"} – ${account}`,
    description: [`${account}: ${state}`, ...(entry.url === null ? [] : [entry.url]), postUrl].join("\n"),
    url: postUrl,
  };
}
