import { requireId, requireText, toObject, toObjectList, toText } from "../call-api.ts";
import { duplicateOutcome } from "../classify-status.ts";
import type { MediaUpload, UploadSession } from "../media-upload.ts";
import type { ApiCall, JsonObject } from "../platform.ts";
import type { ErrorResponse, ProcessingStatus, PublishContext, Publishing } from "../publishing.ts";

/** The version of the API. LinkedIn supports each for at least a year. */
const apiVersion = "202605";

type MediaKind = "image" | "video" | "document";

export const linkedinPublishing: Publishing = {
  listPostHosts: () => ["linkedin.com"],
  classifyError,
  media: ({ kind }) => uploads[kind],
  commit: {
    buildCall: (context) => ({
      ...buildCall(context, "POST", "/rest/posts"),
      json: {
        author: getAuthor(context),
        commentary: escapeLittleText(context.content.text),
        visibility: "PUBLIC",
        distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
        ...buildContent(context),
        lifecycleState: "PUBLISHED",
        isReshareDisabledByAuthor: false,
      },
    }),
    parsePost: (_body, _context, headers) => {
      const id = requireId(headers.get("x-restli-id"), "x-restli-id");
      return { id, url: `https://www.linkedin.com/feed/update/${id}/` };
    },
  },
  // Reading posts needs `r_member_social`, which LinkedIn gives to few apps. A repeated commit is not safe: LinkedIn
  // rejects it as a duplicate only for a time that it does not document.
  reconcile: "unreadable",
};

function buildCall({ accessToken, endpoints }: PublishContext, method: ApiCall["method"], path: string): ApiCall {
  return {
    method,
    url: `${endpoints.api}${path}`,
    bearer: accessToken,
    headers: { "linkedin-version": apiVersion, "x-restli-protocol-version": "2.0.0" },
  };
}

const getAuthor = ({ account }: PublishContext): string => `urn:li:person:${account.id}`;

const uploads: Record<MediaKind, MediaUpload> = {
  image: createUpload("image", parseOnePart),
  document: createUpload("document", parseOnePart),
  video: {
    ...createUpload("video", (value) => ({
      token: toText(value["uploadToken"]) ?? "",
      parts: toObjectList(value["uploadInstructions"]).map((part) => ({
        url: requireText(part["uploadUrl"], "uploadUrl"),
        start: Number(part["firstByte"]),
        end: Number(part["lastByte"]),
      })),
    })),
    finish: {
      buildCall: (context, { mediaId, token = "" }, partIds) => ({
        ...buildCall(context, "POST", "/rest/videos"),
        query: { action: "finalizeUpload" },
        json: { finalizeUploadRequest: { video: mediaId, uploadToken: token, uploadedPartIds: partIds } },
      }),
    },
  },
};

function parseOnePart(value: JsonObject, bytes: number): Pick<UploadSession, "parts"> {
  return { parts: [{ url: requireText(value["uploadUrl"], "uploadUrl"), start: 0, end: bytes - 1 }] };
}

function createUpload(
  kind: MediaKind,
  parseParts: (value: JsonObject, bytes: number) => Omit<UploadSession, "mediaId">,
): MediaUpload {
  return {
    start: {
      buildCall: (context, { bytes }) => ({
        ...buildCall(context, "POST", `/rest/${kind}s`),
        query: { action: "initializeUpload" },
        json: {
          initializeUploadRequest: {
            owner: getAuthor(context),
            ...(kind === "video" ? { fileSizeBytes: bytes, uploadCaptions: false, uploadThumbnail: false } : {}),
          },
        },
      }),
      parseSession: (body, { bytes }) => {
        const value = toObject(body["value"]);
        return { mediaId: requireId(value[kind], kind), ...parseParts(value, bytes) };
      },
    },
    part: {
      buildCall: ({ accessToken, endpoints }, _asset, { parts }, index) => {
        const url = parts[index]?.url ?? "";
        return {
          method: "PUT",
          url,
          // LinkedIn's response contains the URL, so the token is sent only if the host is LinkedIn's.
          ...(kind !== "video" && isTrustedHost(url, endpoints.api) ? { bearer: accessToken } : {}),
          headers: { "content-type": "application/octet-stream" },
        };
      },
      ...(kind === "video" ? { parseId: parsePartId } : {}),
    },
    processing: {
      // `w_member_social` alone does not let us read the status of an image. LinkedIn makes a post public when it has
      // processed the post's images, so we need not wait.
      isPending: () => kind !== "image",
      buildStatusCall: (context, mediaId) => buildCall(context, "GET", `/rest/${kind}s/${encodeURIComponent(mediaId)}`),
      parseStatus,
    },
  };
}

/** The ETag of a part is its id, without the quotes of HTTP. */
function parsePartId(headers: Headers): string {
  return requireText(headers.get("etag"), "etag").replaceAll('"', "");
}

function parseStatus({ status }: JsonObject): ProcessingStatus {
  if (status === "AVAILABLE") return "ready";
  return status === "PROCESSING_FAILED" ? "rejected" : "in_progress";
}

function isTrustedHost(url: string, api: string): boolean {
  const { hostname } = new URL(url);
  return hostname.endsWith(".linkedin.com") || hostname === new URL(api).hostname;
}

function buildContent({ content: { assets }, progress }: PublishContext): JsonObject {
  const media = assets.map(({ id, kind, altText, filename }) => ({
    id: progress.mediaIds[id] ?? "",
    ...(kind === "image" && altText !== null && altText !== "" ? { altText } : {}),
    ...(kind === "document" ? { title: filename } : {}),
  }));
  if (media.length === 0) return {};
  return { content: media.length === 1 ? { media: media[0] } : { multiImage: { images: media } } };
}

/**
 * Escapes the reserved characters of the format that LinkedIn calls little text. The `#` of a hashtag is not escaped, so
 * that LinkedIn makes the hashtag a link.
 */
export function escapeLittleText(text: string): string {
  return text.replace(/[\\|{}@[\]()<>*_~]|#(?![\p{L}\p{N}])/gu, "\\$&");
}

/** LinkedIn rejects a post with the same content as an earlier one. */
function classifyError({ status, body }: ErrorResponse) {
  const errors = toObjectList(toObject(body["errorDetails"])["inputErrors"]);
  const isDuplicate = status === 422 && errors.some(({ code }) => code === "DUPLICATE_POST");
  return isDuplicate ? duplicateOutcome : undefined;
}
