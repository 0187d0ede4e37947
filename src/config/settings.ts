import { z } from "zod";
import { parseIpAddressSet, type IpAddressSet } from "#lib/ip-address.ts";
import { logLevels } from "#lib/log.ts";
import { parseSender, parseSmtpUrl } from "./mail-settings.ts";

// Types of setting values. Their messages complete the sentence "expected …".

/** Digits only: other forms that JavaScript accepts as a number (blanks, 1e3, 0x10) are probably typos. */
const wholeNumber = (min: number, max: number, description: string): z.ZodType<number, string> =>
  z
    .string()
    .refine((value) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max, description)
    .transform(Number);

const port = wholeNumber(0, 65_535, "a number from 0 to 65535");
const byteCount = wholeNumber(1, Number.MAX_SAFE_INTEGER, "a number of bytes");
const onOff = z.enum(["on", "off"]);
const booleanFlag = z.enum(["true", "false", "1", "0"]).transform((value) => value === "true" || value === "1");

const httpUrl = z.string().transform((value, context) => {
  const url = parseUrl(value);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash) {
    return (url.origin + url.pathname).replace(/\/$/, "");
  }
  context.addIssue({ code: "custom", message: "an http or https URL without user, query or fragment" });
  return z.NEVER;
});

const databaseUrl = z
  .string()
  .refine((value) => /^postgres(ql)?:\/\/./.test(value), "a URL that starts with postgres://");

const list = z.string().transform((value) =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean),
);

const secrets = list
  .refine((entries) => entries.length > 0, "at least one secret")
  .refine((entries) => entries.every((entry) => Buffer.byteLength(entry) >= 32), "at least 32 bytes for each secret")
  .transform((entries) => entries as [string, ...string[]]);

const signInAllowList = list
  .refine((entries) => entries.length > 0, "emails, @domains or *")
  .refine(
    (entries) => entries.every((entry) => entry === "*" || /^[^\s@]*@[^\s@]+$/.test(entry)),
    "emails, @domains or *",
  )
  // Only A to Z, like the emails that the entries are compared with.
  .transform((entries): readonly string[] =>
    entries.map((entry) => entry.replace(/[A-Z]/g, (letter) => letter.toLowerCase())),
  );

const trustedProxies = list.transform((entries, context): IpAddressSet => {
  const ipSet = parseIpAddressSet(entries.join() === "off" ? [] : entries);
  if (ipSet) return ipSet;
  context.addIssue({ code: "custom", message: "IP addresses, networks such as 10.0.0.0/8, loopback, or off" });
  return z.NEVER;
});

const origins = list.refine((entries) => entries.every(isOrigin), "origins such as https://app.example.com");

const privateHosts = list.transform((entries, context): ReadonlySet<string> => {
  const hosts = entries.map((entry) => {
    const url = /^[^/?#@*\s]+:\d{1,5}$/.test(entry) ? parseUrl(`http://${entry}`) : undefined;
    return url && `${url.hostname}:${url.port || "80"}`;
  });
  if (hosts.every((host) => host !== undefined)) return new Set(hosts);
  context.addIssue({ code: "custom", message: "hosts with their port, such as localhost:8001" });
  return z.NEVER;
});

// The messages do not repeat the value: it may contain a password.
const smtpUrl = z.string().transform((value, context): URL => {
  const url = parseSmtpUrl(value);
  if (url) return url;
  context.addIssue({
    code: "custom",
    message: "a URL such as smtps://user:password@mail.example.com, with user and password URL-encoded",
  });
  return z.NEVER;
});

const sender = z.string().transform((value, context) => {
  const mailbox = parseSender(value);
  if (mailbox) return mailbox;
  context.addIssue({ code: "custom", message: "an email such as Atelier <atelier@example.com>" });
  return z.NEVER;
});

export function parseUrl(value: string): URL | undefined {
  return URL.canParse(value) ? new URL(value) : undefined;
}

function isOrigin(value: string): boolean {
  return parseUrl(value)?.origin === value;
}

const mebibyte = 1024 * 1024;

/**
 * Every setting with a fixed name: its type and its default. README.md explains each one; a test compares its table
 * with this schema. Settings of identity providers and platforms have variable names and are read separately.
 */
export const settingsSchema = z.object({
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: port.default(3000),
  BASE_URL: httpUrl.optional(),
  UPLOAD_PAGE_URL: httpUrl.optional(),
  LOGIN_URL: z.string().optional(),
  SIGN_IN_ALLOW: signInAllowList.optional(),
  MCP_ORIGINS: origins.default([]),
  METRICS_TOKEN: z.string().min(16, "at least 16 characters").optional(),
  DATA_DIR: z.string().min(1).default("./data"),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_LISTEN_URL: databaseUrl.optional(),
  STORAGE: z.enum(["disk", "s3"]).default("disk"),
  S3_ENDPOINT: httpUrl.optional(),
  S3_REGION: z.string().optional(),
  S3_BUCKET: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_FORCE_PATH_STYLE: booleanFlag.default(false),
  SECRETS: secrets.optional(),
  MAX_IMAGE_BYTES: byteCount.default(50 * mebibyte),
  MAX_VIDEO_BYTES: byteCount.default(4096 * mebibyte),
  MAX_DOCUMENT_BYTES: byteCount.default(100 * mebibyte),
  MAX_ASSETS_PER_POST: wholeNumber(1, 1000, "a number from 1 to 1000").default(20),
  MAX_STUDIO_BYTES: byteCount.optional(),
  MAX_STUDIOS_PER_USER: wholeNumber(1, 10_000, "a number from 1 to 10000").default(20),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: sender.optional(),
  PUBLISH_CONCURRENCY: wholeNumber(1, 1000, "a number from 1 to 1000").default(8),
  OAUTH_CLIENTS: z.string().optional(),
  ENTERPRISE_ISSUERS: z.string().optional(),
  CLIENT_DOCUMENTS: onOff.default("on"),
  OPENAI_APPS_CHALLENGE: z
    .string()
    .refine((value) => /^[\x21-\x7e]{1,1000}$/.test(value), "a text without blanks")
    .optional(),
  TRUST_PROXY: trustedProxies.prefault("off"),
  PRIVATE_HOSTS: privateHosts.prefault(""),
  BLUESKY_PLC_URL: httpUrl.default("https://plc.directory"),
  // `off` and `0` mean the same.
  CONFORMANCE_FIXTURES: z.enum(["off", "0", "1"]).default("off"),
  RATE_LIMITS: onOff.default("on"),
  LOG_LEVEL: z.enum(logLevels).default("info"),
});

export type Settings = z.infer<typeof settingsSchema>;

/** The environment variables that are set; an empty value counts as not set. */
export type Environment = Readonly<Record<string, string>>;
