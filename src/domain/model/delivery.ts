import { hours, minutes, seconds } from "#lib/clock.ts";
import { readIdNumbers } from "#lib/ids.ts";

/** Something that is sent until its endpoint accepts it: an event to a webhook, a mail to the mail server. */
export interface QueuedItem {
  id: string;
  /** How many have ended. */
  attempts: number;
}

/** Where deliveries go. Only the process that has claimed an endpoint sends to it. */
export interface Endpoint {
  /** Until then, a process is sending, or the endpoint needs a pause. */
  lockedUntil: number;
  /** The first of the failures since the last success. */
  failingSince: number | null;
}

/** How long to wait after each failed attempt: the last one is about a day after the first. */
const retryDelays = [seconds(5), seconds(30), minutes(5), minutes(30), hours(2), hours(5), hours(8), hours(8)] as const;

/** Each delivery waits a bit longer or shorter than others, so that they do not all come back at once. */
const getJitter = ({ id }: QueuedItem): number => 0.9 + (readIdNumbers(id).random / 2 ** 20) * 0.2;

/** Undefined after the last attempt. */
export function computeRetryDelay(item: QueuedItem): number | undefined {
  const delay = retryDelays[item.attempts];
  return delay && delay * getJitter(item);
}

/** Longer pauses for an endpoint that has failed for longer, so that it is not flooded while it recovers. */
export const computePause = (failingMs: number): number => Math.min(Math.round(failingMs / 10), minutes(5));
