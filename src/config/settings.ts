import { z } from "zod";
import { logLevels } from "#lib/log.ts";
import {
  signInAllowList,
  byteCount,
  databaseUrl,
  onOff,
  origin,
  origins,
  port,
  trustedProxies,
  secrets,
  booleanFlag,
  wholeNumber,
} from "./values.ts";

const mebibyte = 1024 * 1024;

/**
 * Every setting that has one name: what it must be, and what it is where nothing is set. README.md says what each one
 * means, and a test holds its table against this one. Identity providers and platforms have as many as there are of
 * them; they are read beside this file.
 */
export const settings = z.object({
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: port.default(3000),
  BASE_URL: origin.optional(),
  UPLOAD_PAGE_URL: origin.optional(),
  LOGIN_URL: z.string().optional(),
  SIGN_IN_ALLOW: signInAllowList.optional(),
  MCP_ORIGINS: origins.default([]),
  METRICS_TOKEN: z.string().min(16, "at least 16 characters").optional(),
  DATA_DIR: z.string().min(1).default("./data"),
  DATABASE_URL: databaseUrl.optional(),
  STORAGE: z.enum(["disk", "s3"]).default("disk"),
  S3_ENDPOINT: origin.optional(),
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
  OAUTH_CLIENTS: z.string().optional(),
  CLIENT_DOCUMENTS: onOff.default("on"),
  TRUST_PROXY: trustedProxies.prefault("off"),
  CONFORMANCE_FIXTURES: z.enum(["off", "0", "1"]).default("off"),
  RATE_LIMITS: onOff.default("on"),
  LOG_LEVEL: z.enum(logLevels).default("info"),
});

export type Settings = z.infer<typeof settings>;

/** What the environment sets. A variable that is set to nothing is not set. */
export type Environment = Readonly<Record<string, string>>;
