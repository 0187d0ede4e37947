import { listExtensions } from "#domain/assets/model/filename.ts";
import { sha256 } from "#lib/digest.ts";
import type { InstanceLimits } from "#domain/platforms/instance-limits.ts";
import { parseList, requireId, toObject, toObjectList, toText, toUrl } from "../call-api.ts";
import type { JsonObject, Platform } from "../platform.ts";
import type { PublishContext, Publishing } from "../publishing.ts";

/** How many of the account's newest posts are compared after a lost response. */
const maxComparedPosts = 40;

export const mastodonPublishing: Publishing = {
  listPostHosts: ({ api }) => [new URL(api).hostname],
  media: {
    buildCall: ({ accessToken, endpoints }, { altText, storageKey, mimeType }) => ({
      method: "POST",
      url: `${endpoints.api}/api/v2/media`,
      bearer: accessToken,
      upload: {
        fields: altText === null ? {} : { description: altText },
        fileField: "file",
        filename: buildFilename(storageKey, mimeType),
        mimeType,
      },
    }),
    parseId: (body) => requireId(body["id"]),
    processing: {
      isPending: (status) => status === 202,
      buildStatusCall: ({ accessToken, endpoints }, mediaId) => ({
        method: "GET",
        url: `${endpoints.api}/api/v1/media/${encodeURIComponent(mediaId)}`,
        bearer: accessToken,
      }),
      parseStatus: (_body, status) => (status === 206 ? "in_progress" : "ready"),
    },
  },
  commit: {
    buildCall: ({ accessToken, endpoints, content, progress, commitKey }) => ({
      method: "POST",
      url: `${endpoints.api}/api/v1/statuses`,
      bearer: accessToken,
      headers: { "idempotency-key": commitKey },
      json: {
        status: content.text,
        media_ids: content.assets.map(({ id }) => progress.mediaIds[id] ?? ""),
        visibility: "public",
      },
    }),
    parsePost,
  },
  // Not every server that implements this API recognizes the idempotency key, so the request is never repeated.
  reconcile: {
    buildCall: ({ accessToken, endpoints, account }) => ({
      method: "GET",
      url: `${endpoints.api}/api/v1/accounts/${encodeURIComponent(account.id)}/statuses`,
      bearer: accessToken,
      query: { limit: String(maxComparedPosts), exclude_reblogs: "true" },
    }),
    listIds: ({ items }) => parseList(items, ({ id }) => requireId(id)),
    findPosts: ({ items }, context) =>
      parseList(
        toObjectList(items).filter((status) => hasSameMedia(status, context)),
        parsePost,
      ),
    exactText: {
      buildCall: ({ accessToken, endpoints }, { id }) => ({
        method: "GET",
        url: `${endpoints.api}/api/v1/statuses/${encodeURIComponent(id)}/source`,
        bearer: accessToken,
      }),
      isSame: ({ text }, { content }) => typeof text === "string" && normalize(text) === normalize(content.text),
    },
  },
};

/**
 * A name that only this file has. snac 2.75 derives a file's URL from its name alone: the second `IMG_1.jpg` replaces
 * the first, even if they belong to different posts. It derives the type from the extension.
 */
const buildFilename = (storageKey: string, mimeType: string): string =>
  `${sha256(storageKey).slice(0, 32)}${listExtensions(mimeType)[0] ?? ""}`;

function parsePost(status: JsonObject): { id: string; url: string | null } {
  return { id: requireId(status["id"]), url: toUrl(status["url"]) };
}

/** Compares alt texts, because the attachments of a post have other ids than their uploads. */
function hasSameMedia(status: JsonObject, { content }: PublishContext): boolean {
  const altTexts = toObjectList(status["media_attachments"]).map((media) => toText(media["description"]) ?? null);
  return (
    altTexts.length === content.assets.length &&
    content.assets.every((asset, i) => (asset.altText ?? null) === altTexts[i])
  );
}

/** Servers remove white space at both ends. */
const normalize = (text: string): string => text.replaceAll("\r\n", "\n").trim();

/** Reads the instance's own limits: from the v2 document (Mastodon 4 and later), or the v1 document of other servers. */
export const mastodonInstanceLimits: NonNullable<Platform["instanceLimits"]> = {
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
