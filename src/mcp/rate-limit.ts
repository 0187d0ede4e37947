import { minutes, type Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";

/** Counts one tool call of a user; answers the refusal where there were too many. */
export type CountCall = (userId: string) => AppError | undefined;

export const noLimit: CountCall = () => undefined;

const window = minutes(1);

/**
 * A sliding minute for each user, counted in this process: calls of this window, and of the one before
 * by how much of it still lies within a minute. Two maps that turn over, so nothing grows with time.
 */
export function createCallLimit(clock: Clock, perMinute = 600): CountCall {
  let began = 0;
  let current = new Map<string, number>();
  let previous = new Map<string, number>();
  return (userId) => {
    const now = clock();
    if (now - began >= window) {
      previous = now - began < 2 * window ? current : new Map<string, number>();
      current = new Map();
      began = now - (now % window);
    }
    const part = 1 - (now - began) / window;
    const count = current.get(userId) ?? 0;
    if (count + (previous.get(userId) ?? 0) * part >= perMinute) {
      const retryAfter = Math.ceil((began + window - now) / 1000);
      return new AppError(
        "rate_limited",
        `More than ${perMinute} calls a minute.`,
        `Wait ${retryAfter} seconds, then go on more slowly.`,
        { retryAfter },
      );
    }
    current.set(userId, count + 1);
    return undefined;
  };
}
