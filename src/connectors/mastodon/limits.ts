import type { InstanceLimits, PostLimits } from "#domain/model/platform-limits.ts";
import { toObject } from "../call-api.ts";
import type { OAuthPlatform } from "../platform.ts";

const mebibyte = 1024 * 1024;

export const limits: PostLimits = {
  text: { max: 500, unit: "graphemes", linkLength: 23, countsMentionsWithoutServer: true },
  images: {
    max: 4,
    types: ["image/jpeg", "image/png", "image/gif", "image/webp", "image/heic", "image/heif", "image/avif"],
    maxBytes: 16 * mebibyte,
    animatedTypes: ["image/gif"],
  },
  videos: {
    max: 1,
    types: ["video/mp4", "video/quicktime", "video/webm", "video/x-m4v"],
    maxBytes: 99 * mebibyte,
  },
  allowsMixedKinds: false,
  altText: { maxLength: 1500, isSentForVideos: true },
  variesByInstance: true,
  sources: [{ url: "https://docs.joinmastodon.org/user/posting/", readOn: "2026-11-15" }],
};

/** Reads the instance's own limits: from the v2 document (Mastodon 4 and later), or the v1 document of other servers. */
export const instanceLimits: NonNullable<OAuthPlatform["instanceLimits"]> = {
  buildCalls: (instance) =>
    ["v2", "v1"].map((version) => ({ method: "GET", url: `${instance}/api/${version}/instance` })),
  parse: (body): InstanceLimits => {
    const configuration = toObject(body["configuration"]);
    const statuses = toObject(configuration["statuses"]);
    const media = toObject(configuration["media_attachments"]);
    const statedLimits = {
      maxCharacters: readLimit(statuses["max_characters"], 1_000_000),
      linkLength: readLimit(statuses["characters_reserved_per_url"], 1000),
      maxFiles: readLimit(statuses["max_media_attachments"], 100),
      maxImageBytes: readLimit(media["image_size_limit"]),
      maxImagePixels: readLimit(media["image_matrix_limit"]),
      maxVideoBytes: readLimit(media["video_size_limit"]),
      maxAltTextLength: readLimit(media["description_limit"], 100_000),
    };
    return Object.fromEntries(Object.entries(statedLimits).filter(([, value]) => value !== undefined));
  },
};

/** Undefined for anything that can't be a limit: an instance may state nonsense. */
function readLimit(value: unknown, max = Number.MAX_SAFE_INTEGER): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 ? Math.min(value, max) : undefined;
}
