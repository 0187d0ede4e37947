import { days, minutes, toIsoTime } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { getAccountLabel } from "../model/connection.ts";
import { formatICalendar, type ICalendarEvent } from "../model/icalendar.ts";
import type { PublicationState } from "../model/publication-states.ts";
import { authorize, may } from "../policy.ts";
import type { FeedEntry } from "../ports/calendar-feeds.ts";
import type { Deps } from "../ports/deps.ts";
import { enforceRateLimit } from "../steps/rate-limit.ts";

export interface CalendarFeedView {
  userId: string;
  createdAt: string;
  lastReadAt: string | null;
}

/** Members see their own feed, owners and admins those of all members. The URLs are never shown again. */
export async function listCalendarFeeds(
  deps: Pick<Deps, "calendarFeeds">,
  caller: Caller,
): Promise<{ calendarFeeds: CalendarFeedView[] }> {
  authorize(caller, "calendarFeeds.use");
  const userId = may(caller.role, "calendarFeeds.manageAny") ? undefined : caller.user.id;
  const feeds = await deps.calendarFeeds.list(caller.studio.id, userId);
  return {
    calendarFeeds: feeds.map(({ createdAt, lastReadAt, ...feed }) => ({
      ...feed,
      createdAt: toIsoTime(createdAt),
      lastReadAt: lastReadAt === null ? null : toIsoTime(lastReadAt),
    })),
  };
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

export async function revokeCalendarFeed(
  deps: Pick<Deps, "transact">,
  caller: Caller,
  { userId }: { userId: string },
): Promise<void> {
  authorize(caller, userId === caller.user.id ? "calendarFeeds.use" : "calendarFeeds.manageAny");
  const isRevoked = await deps.transact(caller, (tx) => tx.calendarFeeds.delete(caller.studio.id, userId));
  if (!isRevoked) throw notFoundError("calendar_feed");
}

const pastDays = 90;
/** Publications can be planned a year ahead. */
const futureDays = 367;
const maxEvents = 2000;
const eventDurationMs = minutes(15);

/** The calendar for this token; undefined if no feed has it. */
export async function readCalendarFeed(
  deps: Pick<Deps, "calendarFeeds" | "rateLimits" | "clock" | "baseUrl">,
  token: string,
): Promise<string | undefined> {
  const now = deps.clock();
  const tokenHash = sha256(token);
  const studio = await deps.calendarFeeds.open(tokenHash, now);
  if (!studio) return undefined;
  await enforceRateLimit(deps, "calendarFeed", tokenHash);
  const range = { from: now - days(pastDays), to: now + days(futureDays), limit: maxEvents };
  const entries = await deps.calendarFeeds.listEntries(studio.id, range);
  const postsUrl = `${deps.baseUrl}/studios/${studio.id}/posts`;
  const { host } = new URL(deps.baseUrl);
  return formatICalendar({ name: studio.name, events: entries.map((entry) => toEvent(entry, postsUrl, host)) });
}

const statuses: Readonly<Record<PublicationState, { status: ICalendarEvent["status"]; label: string }>> = {
  proposed: { status: "TENTATIVE", label: "Waits for approval" },
  scheduled: { status: "CONFIRMED", label: "Scheduled" },
  preparing: { status: "CONFIRMED", label: "Publishing" },
  committing: { status: "CONFIRMED", label: "Publishing" },
  published: { status: "CONFIRMED", label: "Published" },
  unconfirmed: { status: "CONFIRMED", label: "Unconfirmed" },
  failed: { status: "CANCELLED", label: "Failed" },
  missed: { status: "CANCELLED", label: "Missed" },
  canceled: { status: "CANCELLED", label: "Canceled" },
};

function toEvent(entry: FeedEntry, postsUrl: string, host: string): ICalendarEvent {
  const { status, label } = statuses[entry.state];
  const postUrl = `${postsUrl}/${entry.postId}`;
  const account = `${getAccountLabel(entry.account)} (${entry.platform})`;
  return {
    uid: `${entry.id}@${host}`,
    // Both only grow.
    sequence: entry.sequence + entry.postRevision,
    changedAt: Math.max(entry.createdAt, entry.postUpdatedAt, entry.state === "published" ? entry.at : 0),
    startsAt: entry.at,
    durationMs: eventDurationMs,
    status: entry.isTrashed ? "CANCELLED" : status,
    summary: `${entry.title || "Untitled post"} – ${account}`,
    description: [`${label}: ${account}`, ...(entry.url === null ? [] : [entry.url]), postUrl].join("\n"),
    url: postUrl,
  };
}
