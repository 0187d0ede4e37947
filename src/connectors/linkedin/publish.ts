import type { ContentAsset } from "#domain/model/publication-content.ts";
import type { CommitOutcome, FailedOutcome, LookUpOutcome } from "#domain/ports/publisher.ts";
import { requireId, requireText, toObject, toObjectList, toText } from "../call-api.ts";
import type { JsonObject } from "../platform.ts";
import { duplicateOutcome } from "../publishing/step-failure.ts";
import type {
  CallContext,
  CommitContext,
  ErrorResponse,
  Preparation,
  PrepareContext,
  PublishCall,
} from "../publishing/publish-module.ts";
import { toPublished } from "../publishing/read-back.ts";
import type { ByteRange } from "../publishing/upload-body.ts";
import {
  awaitFiles,
  requireMediaId,
  uploadFiles,
  type ProcessingStatus,
  type UploadedFile,
} from "../publishing/upload-files.ts";
import { buildOptionFields } from "./options.ts";

/** LinkedIn supports each version of the API for at least a year. */
const versionHeaders = { "linkedin-version": "202605", "x-restli-protocol-version": "2.0.0" };

const callRest = <T>(
  { call }: CallContext,
  restCall: PublishCall,
  parse: (body: JsonObject, response: Response) => T,
): Promise<T> => call({ ...restCall, headers: versionHeaders }, parse);

export { results } from "./results.ts";

export const listPostHosts = (): string[] => ["linkedin.com"];

export async function prepare(context: PrepareContext): Promise<Preparation> {
  await uploadFiles(context, (asset) => uploadFile(context, asset));
  // LinkedIn has no status for expired files.
  await awaitFiles(context, (mediaId, asset) => readStatus(context, mediaId, asset));
  return "prepared";
}

async function uploadFile(context: CallContext, asset: ContentAsset): Promise<UploadedFile> {
  const { kind } = asset;
  const { id, token, parts } = await initializeUpload(context, asset);
  const partIds: string[] = [];
  for (const part of parts) partIds.push(await uploadPart(context, asset, part));
  if (kind === "video") await finalizeUpload(context, id, token, partIds);
  // `w_member_social` alone does not let us read the status of an image. LinkedIn makes a post public when it has
  // processed the post's images, so we need not wait.
  return { id, isPending: kind !== "image" };
}

interface UploadPart extends ByteRange {
  url: string;
}

function initializeUpload(context: CallContext, { kind, bytes }: ContentAsset) {
  const initializeUploadRequest = {
    owner: getAuthor(context),
    ...(kind === "video" ? { fileSizeBytes: bytes, uploadCaptions: false, uploadThumbnail: false } : {}),
  };
  const call: PublishCall = {
    method: "POST",
    path: `/rest/${kind}s`,
    query: { action: "initializeUpload" },
    json: { initializeUploadRequest },
  };
  return callRest(context, call, (body) => {
    const value = toObject(body["value"]);
    const parts: UploadPart[] =
      kind === "video"
        ? toObjectList(value["uploadInstructions"]).map((part) => ({
            url: parseUploadUrl(part),
            start: Number(part["firstByte"]),
            end: Number(part["lastByte"]),
          }))
        : [{ url: parseUploadUrl(value), start: 0, end: bytes - 1 }];
    return { id: requireId(value[kind], kind), token: toText(value["uploadToken"]) ?? "", parts };
  });
}

const parseUploadUrl = ({ uploadUrl }: JsonObject): string => new URL(requireText(uploadUrl, "uploadUrl")).href;

/** Returns the id of a video's part: its ETag, without the quotes of HTTP. Other files have one part without an id. */
function uploadPart({ api, send }: CallContext, asset: ContentAsset, { url, ...range }: UploadPart): Promise<string> {
  const isVideo = asset.kind === "video";
  const call: PublishCall = {
    method: "PUT",
    url,
    // LinkedIn's response contains the URL, so the token is sent only if the host is LinkedIn's.
    isAuthorized: !isVideo && isTrustedHost(url, api),
    headers: { "content-type": "application/octet-stream" },
    file: { asset, range },
  };
  return send(call, ({ headers }) => (isVideo ? requireText(headers.get("etag"), "etag").replaceAll('"', "") : ""));
}

function isTrustedHost(url: string, api: string): boolean {
  const { hostname } = new URL(url);
  return hostname.endsWith(".linkedin.com") || hostname === new URL(api).hostname;
}

async function finalizeUpload(
  context: CallContext,
  video: string,
  uploadToken: string,
  uploadedPartIds: readonly string[],
): Promise<void> {
  const json = { finalizeUploadRequest: { video, uploadToken, uploadedPartIds } };
  await callRest(
    context,
    { method: "POST", path: "/rest/videos", query: { action: "finalizeUpload" }, json },
    () => {},
  );
}

function readStatus(context: CallContext, mediaId: string, { kind }: ContentAsset): Promise<ProcessingStatus> {
  const path = `/rest/${kind}s/${encodeURIComponent(mediaId)}`;
  return callRest(context, { method: "GET", path }, ({ status }) => {
    if (status === "AVAILABLE") return { kind: "ready" };
    return { kind: status === "PROCESSING_FAILED" ? "rejected" : "in_progress" };
  });
}

export async function commit(context: CommitContext): Promise<CommitOutcome> {
  const json = {
    author: getAuthor(context),
    commentary: escapeLittleText(context.content.text),
    ...buildOptionFields(context.options),
    distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
    ...buildContent(context),
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: false,
  };
  const id = await callRest(context, { method: "POST", path: "/rest/posts", json }, (_body, { headers }) =>
    requireId(headers.get("x-restli-id"), "x-restli-id"),
  );
  return toPublished({ id, url: `https://www.linkedin.com/feed/update/${id}/` });
}

/**
 * Reading posts needs `r_member_social`, which LinkedIn gives to few apps. A repeated commit is not safe: LinkedIn rejects
 * it as a duplicate only for a time that it does not document.
 */
export async function lookUp(): Promise<LookUpOutcome> {
  return { kind: "undecidable" };
}

const getAuthor = ({ account }: CallContext): string => `urn:li:person:${account.id}`;

function buildContent({ content: { assets }, progress }: CommitContext): JsonObject {
  const media = assets.map(({ id, kind, altText, filename }) => ({
    id: requireMediaId(progress, id),
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
export function classifyError({ status, body }: ErrorResponse): FailedOutcome | undefined {
  const errors = toObjectList(toObject(body["errorDetails"])["inputErrors"]);
  const isDuplicate = status === 422 && errors.some(({ code }) => code === "DUPLICATE_POST");
  return isDuplicate ? duplicateOutcome : undefined;
}
