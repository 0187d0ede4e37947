import { randomBytes } from "node:crypto";
import type { Clock } from "./clock.ts";

/** The id prefix of each kind of object. */
export const idPrefixes = {
  user: "usr",
  studio: "std",
  post: "pst",
  asset: "ast",
  comment: "cmt",
  grant: "con",
  platformConnection: "plc",
  invitation: "inv",
  uploadLink: "upl",
  reviewLink: "rev",
  publication: "pub",
  activity: "act",
  webhook: "whk",
  webhookDelivery: "whd",
  notification: "ntf",
  mail: "eml",
  request: "req",
} as const;

export type IdKind = keyof typeof idPrefixes;
export type IdGenerator = (kind: IdKind) => string;

/** Crockford's base 32 in lower case; encoded strings sort like the encoded numbers. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const timeChars = 10;
const randomChars = 16;
const idPattern = new RegExp(`^[a-z]{3}_[${alphabet}]{${timeChars + randomChars}}$`);

/**
 * Ids sort by creation time: 48 bits of milliseconds, then 80 random bits. Within one millisecond the random part is
 * incremented, so the ids of one process are always in order.
 */
export function createIdGenerator(clock: Clock, random: (bytes: number) => Uint8Array = randomBytes): IdGenerator {
  const randomDigits = new Uint8Array(randomChars);
  const encodedDigits = Buffer.alloc(randomChars);
  let lastTime = 0;
  let time = encodeTime(0);
  let pool: Uint8Array = new Uint8Array(0);
  let usedBytes = 0;
  // Reading system randomness costs more than all other steps of creating an id, so it is read for many ids at once.
  const nextRandomByte = (): number => {
    if (usedBytes === pool.length) {
      pool = random(randomChars * 64);
      usedBytes = 0;
    }
    return pool[usedBytes++] ?? 0;
  };
  return (kind) => {
    const now = clock();
    if (now > lastTime) {
      lastTime = now;
      time = encodeTime(now);
      for (let i = 0; i < randomChars; i++) randomDigits[i] = nextRandomByte() & 31;
      randomDigits[0] = (randomDigits[0] ?? 0) & 15; // clears the highest bit, so that incrementing never overflows
    } else {
      increment(randomDigits);
    }
    for (let i = 0; i < randomChars; i++) encodedDigits[i] = alphabet.charCodeAt(randomDigits[i] ?? 0);
    return `${idPrefixes[kind]}_${time}${encodedDigits.toString("latin1")}`;
  };
}

/** The lowest id that this kind of object can have if it was created at this time. */
export const toFirstId = (kind: IdKind, time: number): string =>
  `${idPrefixes[kind]}_${encodeTime(Math.max(0, time))}${"0".repeat(randomChars)}`;

/** Whether a string has the form of an id of this kind; if not, no such object can exist. */
export function isId(kind: IdKind, value: string): boolean {
  return idPattern.test(value) && value.startsWith(`${idPrefixes[kind]}_`);
}

/** The kind of a well-formed id; undefined for any other text. */
export function findIdKind(value: string): IdKind | undefined {
  return (Object.keys(idPrefixes) as IdKind[]).find((kind) => isId(kind, value));
}

/** The time in an id, and the first 20 of its random bits. */
export function readIdNumbers(id: string): { time: number; random: number } {
  const start = id.indexOf("_") + 1;
  return { time: decode(id, start, timeChars), random: decode(id, start + timeChars, 4) };
}

function decode(text: string, start: number, length: number): number {
  let value = 0;
  for (let i = start; i < start + length; i++) value = value * 32 + alphabet.indexOf(text.charAt(i));
  return value;
}

function encodeTime(ms: number): string {
  let remaining = ms;
  let encodedTime = "";
  for (let i = 0; i < timeChars; i++) {
    encodedTime = alphabet[remaining % 32] + encodedTime;
    remaining = Math.floor(remaining / 32);
  }
  return encodedTime;
}

function increment(digits: Uint8Array): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    const next = (digits[i] ?? 0) + 1;
    digits[i] = next & 31;
    if (next < 32) return;
  }
}
