import { minutes, toIsoTime } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Publication } from "./publication.ts";
import { isoTime } from "./text.ts";

const maxPast = minutes(5);

export const publishTime = isoTime.describe("ISO 8601 with offset; at most 5 minutes in the past and one year ahead.");

export function parsePublishTime(value: string, now: number): number {
  const time = Date.parse(value);
  const [earliest, latest] = [now - maxPast, new Date(now).setUTCFullYear(new Date(now).getUTCFullYear() + 1)];
  if (!(time >= earliest && time <= latest))
    throw new AppError("invalid_input:publish_time", { earliest: toIsoTime(earliest), latest: toIsoTime(latest) });
  return time;
}

/** Returns the columns of a publication that waits for its time. What would start at once waits for `delayMs`. */
export function toScheduleColumns(
  scheduledFor: number | null,
  now: number,
  delayMs = 0,
): Pick<Publication, "scheduledFor" | "dueAt" | "nextRunAt"> {
  const dueAt = scheduledFor !== null && scheduledFor > now ? scheduledFor : now + delayMs;
  return { scheduledFor, dueAt, nextRunAt: dueAt };
}

/**
 * Whether the first run of a publication starts without waiting for a time. Workers are then notified, so they need not
 * poll.
 */
export const isDueAtOnce = ({ scheduledFor, dueAt, nextRunAt }: Publication): boolean =>
  dueAt !== null && dueAt === nextRunAt && dueAt !== scheduledFor;

/** The columns of a publication that no worker will run. */
export const unscheduledColumns = {
  dueAt: null,
  nextRunAt: null,
  leaseExpiresAt: null,
  startedAt: null,
  attempts: 0,
} as const;
