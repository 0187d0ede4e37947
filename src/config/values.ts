import { z } from "zod";
import { parseIpAddressSet, type IpAddressSet } from "#lib/ip-address.ts";

/** The kinds of values that settings have. Each says in words what it expects. */

/** Digits only: what JavaScript would also take for a number (blanks, 1e3, 0x10) is a slip of the keyboard here. */
export const wholeNumber = (min: number, max: number, description: string): z.ZodType<number, string> =>
  z
    .string()
    .refine((value) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max, description)
    .transform(Number);

export const port = wholeNumber(0, 65_535, "a number from 0 to 65535");
export const byteCount = wholeNumber(1, Number.MAX_SAFE_INTEGER, "a number of bytes");
export const onOff = z.enum(["on", "off"]);
export const booleanFlag = z.enum(["true", "false", "1", "0"]).transform((value) => value === "true" || value === "1");

export const origin = z.string().transform((value, issue) => {
  const url = parseUrl(value);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash) {
    return (url.origin + url.pathname).replace(/\/$/, "");
  }
  issue.addIssue({ code: "custom", message: "an http or https address without query or fragment" });
  return z.NEVER;
});

export const databaseUrl = z
  .string()
  .refine((value) => /^postgres(ql)?:\/\/./.test(value), "an address that begins with postgres://");

const list = z.string().transform((value) =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean),
);

export const secrets = list
  .refine((entries) => entries.length > 0, "at least one secret")
  .refine((entries) => entries.every((entry) => Buffer.byteLength(entry) >= 32), "at least 32 bytes for each secret")
  .transform((entries) => entries as [string, ...string[]]);

export const signInAllowList = list
  .refine((entries) => entries.length > 0, "addresses, @domains or *")
  .refine(
    (entries) => entries.every((entry) => entry === "*" || /^[^\s@]*@[^\s@]+$/.test(entry)),
    "addresses, @domains or *",
  )
  .transform((entries): readonly string[] => entries.map((entry) => entry.toLowerCase()));

export const trustedProxies = list.transform((entries, issue): IpAddressSet => {
  const ipSet = parseIpAddressSet(entries.join() === "off" ? [] : entries);
  if (ipSet) return ipSet;
  issue.addIssue({ code: "custom", message: "addresses, networks such as 10.0.0.0/8, loopback, or off" });
  return z.NEVER;
});

export const origins = list.refine((entries) => entries.every(isOrigin), "origins such as https://app.example.com");

export function parseUrl(value: string): URL | undefined {
  return URL.canParse(value) ? new URL(value) : undefined;
}

function isOrigin(value: string): boolean {
  return parseUrl(value)?.origin === value;
}
