/** Returns milliseconds since the epoch. Injected, so that tests can control time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export const seconds = (n: number): number => n * 1000;
export const minutes = (n: number): number => n * 60_000;
export const hours = (n: number): number => n * 3_600_000;
export const days = (n: number): number => n * 86_400_000;

/** ISO 8601 in UTC, the only time format in responses. */
export const toIsoTime = (ms: number): string => new Date(ms).toISOString();

/** A record with these times as ISO 8601 text. */
export type WithIsoTimes<Type, Name extends keyof Type> = Omit<Type, Name> & Record<Name, string>;
