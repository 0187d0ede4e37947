import { toIsoTime, type Clock } from "#lib/clock.ts";
import { createAccountTokens, type AccountTokens } from "./account-tokens.ts";
import { inspectImage, inspectVideo } from "./inspect-media.ts";
import {
  createFaults,
  hashBytes,
  isRecord,
  readBearer,
  readContentType,
  Rejection,
  runWithFaults,
  serve,
  takeFault,
  type Faults,
  type RunningStandIn,
  type StandInRequest,
  type StandInResponse,
} from "./http-stand-in.ts";

/**
 * A stand-in for Pinterest's API v5, written from its OpenAPI document and not from our client.
 *
 * | request | what it does |
 * | --- | --- |
 * | `POST /v5/oauth/token`, `GET /v5/user_account` | tokens, with Basic authentication, and the account |
 * | `GET /v5/boards`, `/boards/{id}/sections` | pages with a `bookmark` |
 * | `GET /v5/boards/{id}/pins`, `/boards/{id}/sections/{id}/pins` | the pins of a board or section |
 * | `POST /v5/media`, `POST /upload`, `GET /v5/media/{id}` | registers a video; its form; the status |
 * | `POST /v5/pins` | creates a pin; fetches the images at once |
 *
 * Source, read on 2026-11-19: https://github.com/pinterest/api-description, v5/openapi.yaml (5.23 and its changelog to
 * 5.28). Assumed, because no page says it: the pins of a board come in no order, and a board lists those of its sections.
 */
export interface PinterestStandIn extends RunningStandIn {
  /** The pins, oldest first. */
  posts(): Pin[];
  requests: string[];
  account: { id: string; handle: string };
  tokens: AccountTokens;
  authorize(location: string): string;
  faults: PinterestFaults;
  settings: { processingPolls: number; writesPerDay: number };
}

export interface PinterestFaults extends Faults {
  /** Videos: store the file, then close the connection. */
  dropUploadResponses: number;
  failedUploads: number;
  /** Reads of a board that don't contain the newest pin. */
  staleReads: number;
}

export interface Pin {
  id: string;
  /** The description. */
  text: string;
  fields: Record<string, unknown>;
  files: string[];
  source: Record<string, unknown>;
}

interface Media {
  status: "registered" | "processing" | "succeeded" | "failed";
  sha256: string | undefined;
  polls: number;
}

const boards = [
  { id: "549755885175", name: "Vases", privacy: "PUBLIC" },
  { id: "549755885176", name: "Ideas", privacy: "SECRET" },
];
const sections = [{ id: "7000000000000000001", name: "Raku" }];

function reject(status: number, code: number, message: string): Rejection {
  return new Rejection({ status, json: { code, message } });
}
const unavailable = reject(503, 11, "Service unavailable").response;

export async function startPinterest(clock: Clock): Promise<PinterestStandIn> {
  const scopes = ["user_accounts:read", "boards:read", "boards:write", "pins:read", "pins:write"];
  const tokens = createAccountTokens({ authorizationPath: "/oauth/", requiresPkce: false, scopes });
  const faults: PinterestFaults = { ...createFaults(), dropUploadResponses: 0, failedUploads: 0, staleReads: 0 };
  const settings = { processingPolls: 1, writesPerDay: 1000 };
  const account = { id: "2783136121146311751", handle: "atelier" };
  const media = new Map<string, Media>();
  const pins: (Pin & { createdAt: string })[] = [];
  const requests: string[] = [];
  let writes = 0;

  const server = await serve(async (request) => {
    requests.push(`${request.method} ${request.path}`);
    if (request.path === "/v5/oauth/token") return grantTokens(request, tokens);
    if (request.path === "/upload") return receiveVideo(request);
    const token = readBearer(request.headers);
    if (token === undefined || tokens.stateOf(token) !== "valid") throw reject(401, 2, "Authentication failed.");
    return runWithFaults(faults, {
      isPublishing: request.method === "POST" && request.path === "/v5/pins",
      unavailable,
      rateLimited: () => reject(429, 8, "You have exceeded your rate limit.").response,
      run: () => route(request),
    });
  });

  async function route(request: StandInRequest): Promise<StandInResponse> {
    const { method, path, query } = request;
    const requireScope = (...names: string[]): void => {
      if (!names.every((name) => tokens.scopes.has(name)))
        throw reject(403, 29, "You are not permitted to access that resource.");
    };
    const [, boardId, sectionId, list] =
      /^\/v5\/boards\/(\d+)(?:\/sections\/(\d+))?\/(pins|sections)$/.exec(path) ?? [];
    if (method === "GET" && boardId !== undefined) {
      requireScope("boards:read");
      if (!boards.some(({ id }) => id === boardId)) throw reject(404, 40, "Board not found.");
      if (list === "sections")
        return { status: 200, json: { items: boardId === boards[0]?.id ? sections : [], bookmark: null } };
      requireScope("pins:read");
      return listPins(boardId, sectionId, query);
    }
    const mediaId = /^\/v5\/media\/(\d+)$/.exec(path)?.[1];
    if (method === "GET" && mediaId !== undefined) {
      requireScope("pins:read");
      return readMedia(mediaId);
    }
    switch (`${method} ${path}`) {
      case "GET /v5/user_account":
        requireScope("user_accounts:read");
        return { status: 200, json: { id: account.id, username: account.handle, account_type: "BUSINESS" } };
      case "GET /v5/boards": {
        requireScope("boards:read");
        // One board per page, so that a client has to follow the bookmarks.
        const start = Number(query.get("bookmark") ?? 0);
        const bookmark = start + 1 < boards.length ? String(start + 1) : null;
        return { status: 200, json: { items: boards.slice(start, start + 1), bookmark } };
      }
      case "POST /v5/media":
        requireScope("pins:read", "pins:write");
        return registerMedia(readJson(request));
      case "POST /v5/pins":
        requireScope("boards:read", "boards:write", "pins:read", "pins:write");
        return createPin(readJson(request));
      default:
        throw reject(404, 0, "Not found.");
    }
  }

  function listPins(boardId: string, sectionId: string | undefined, query: URLSearchParams): StandInResponse {
    const size = Number(query.get("page_size") ?? 25);
    if (!(size >= 1 && size <= 250)) throw reject(400, 1, "page_size is invalid");
    const listed = takeFault(faults, "staleReads") ? pins.slice(0, -1) : pins;
    const items = listed
      .filter(
        ({ fields }) => fields["board_id"] === boardId && (!sectionId || fields["board_section_id"] === sectionId),
      )
      .slice(-size)
      .map(({ id, fields, createdAt }) => ({ id, ...fields, created_at: createdAt, media: { images: {} } }))
      .toSorted((a, b) => (hashBytes(Buffer.from(a.id)) < hashBytes(Buffer.from(b.id)) ? -1 : 1));
    return { status: 200, json: { items, bookmark: null } };
  }

  function registerMedia(body: Record<string, unknown>): StandInResponse {
    if (body["media_type"] !== "video" || Object.keys(body).length > 1) throw reject(400, 1, "media_type is invalid");
    countWrite();
    const id = `52121239209682${String(media.size + 1).padStart(5, "0")}`;
    media.set(id, { status: "registered", sha256: undefined, polls: settings.processingPolls });
    const parameters = {
      key: `uploads/${id}`,
      policy: "policy",
      "x-amz-signature": "signature",
      "Content-Type": "multipart/form-data",
    };
    const json = {
      media_id: id,
      media_type: "video",
      upload_url: `${server.origin}/upload`,
      upload_parameters: parameters,
    };
    return { status: 201, json };
  }

  /** The form of S3: all parameters, then the file. */
  async function receiveVideo({ headers, body }: StandInRequest): Promise<StandInResponse | undefined> {
    if (readContentType(headers) !== "multipart/form-data" || headers.authorization !== undefined)
      return { status: 400, bytes: Buffer.from("<Error/>") };
    if (takeFault(faults, "failedUploads")) return { status: 503, bytes: Buffer.from("<Error/>") };
    const form = await new Response(new Uint8Array(body), {
      headers: { "content-type": headers["content-type"]! },
    }).formData();
    const names = [...form.keys()];
    const upload = media.get((form.get("key") as string).replace("uploads/", ""));
    const file = form.get("file");
    const isComplete = ["key", "policy", "x-amz-signature", "Content-Type"].every((name) => names.includes(name));
    if (!upload || !isComplete || names.at(-1) !== "file" || typeof file === "string" || file === null)
      return { status: 403, bytes: Buffer.from("<Error/>") };
    const content = Buffer.from(await file.arrayBuffer());
    const video = await inspectVideo(content);
    const hasFailed = !video || video.seconds < 4 || takeFault(faults, "failProcessing");
    Object.assign(upload, { sha256: hashBytes(content), status: hasFailed ? "failed" : "processing" });
    return takeFault(faults, "dropUploadResponses") ? undefined : { status: 204 };
  }

  function readMedia(id: string): StandInResponse {
    const upload = media.get(id);
    if (!upload) throw reject(404, 0, "Media not found.");
    if (upload.status === "processing" && upload.polls-- <= 0) upload.status = "succeeded";
    return { status: 200, json: { media_id: id, media_type: "video", status: upload.status } };
  }

  async function createPin({ media_source: source, ...fields }: Record<string, unknown>): Promise<StandInResponse> {
    const limits = { title: 100, description: 800, alt_text: 500, link: 2048 };
    for (const [name, value] of Object.entries(fields)) {
      const max = limits[name as keyof typeof limits];
      const isId = name === "board_id" || name === "board_section_id";
      const isValid =
        typeof value === "string" && (isId ? /^\d+$/.test(value) : max !== undefined && value.length <= max);
      if (!isValid) throw reject(400, 1, `${name} is invalid`);
    }
    if (!boards.some(({ id }) => id === fields["board_id"])) throw reject(404, 40, "Board not found.");
    if (fields["board_section_id"] !== undefined && !sections.some(({ id }) => id === fields["board_section_id"]))
      throw reject(404, 2031, "Board section not found.");
    if (!isRecord(source)) throw reject(400, 1, "media_source is required");
    const files = await readFiles(source);
    countWrite();
    const id = `8130000000000${String(pins.length + 1).padStart(5, "0")}`;
    const description = fields["description"];
    const text = typeof description === "string" ? description : "";
    pins.push({ id, text, fields, files, source, createdAt: toIsoTime(clock()) });
    return { status: 201, json: { id, ...fields, created_at: toIsoTime(clock()) } };
  }

  async function readFiles(source: Record<string, unknown>): Promise<string[]> {
    const { source_type: type, url, items, media_id: mediaId, cover_image_key_frame_time: cover } = source;
    if (type === "video_id") {
      const upload = media.get(String(mediaId));
      if (upload?.status !== "succeeded" || !Number.isInteger(cover)) throw reject(400, 1, "The media is not ready.");
      return [upload.sha256 ?? ""];
    }
    if (type === "image_url" && typeof url === "string") return [await fetchImage(url)];
    if (type !== "multiple_image_urls" || !Array.isArray(items) || items.length < 2 || items.length > 5)
      throw reject(400, 1, "media_source is invalid");
    return Promise.all(items.map((item: { url: string }) => fetchImage(item.url)));
  }

  async function fetchImage(url: string): Promise<string> {
    const response = await fetch(url, { redirect: "error" });
    const bytes = Buffer.from(await response.arrayBuffer());
    const type = (await inspectImage(bytes))?.mimeType ?? "";
    if (!response.ok || !["image/jpeg", "image/png"].includes(type))
      throw reject(400, 235, "The image could not be fetched.");
    return hashBytes(bytes);
  }

  function countWrite(): void {
    if (++writes > settings.writesPerDay) throw reject(429, 8, "You have exceeded your rate limit.");
  }

  return {
    ...server,
    posts: () => pins,
    requests,
    account,
    tokens,
    authorize(location) {
      const url = new URL(location);
      url.searchParams.set("scope", (url.searchParams.get("scope") ?? "").replaceAll(",", " "));
      return tokens.authorize(url.href);
    },
    faults,
    settings,
  };
}

function readJson({ headers, body }: StandInRequest): Record<string, unknown> {
  if (readContentType(headers) !== "application/json") throw reject(415, 1, "The content type is not supported.");
  const json = JSON.parse(body.toString()) as unknown;
  if (!isRecord(json)) throw reject(400, 1, "The body is invalid.");
  return json;
}

function grantTokens({ headers, body }: StandInRequest, tokens: AccountTokens): StandInResponse {
  const credentials = Buffer.from(`${tokens.clientId}:${tokens.clientSecret}`).toString("base64");
  const isClient = headers.authorization === `Basic ${credentials}`;
  if (!isClient || !tokens.grant(new URLSearchParams(body.toString()))) throw reject(401, 2, "Authentication failed.");
  const { accessToken, refreshToken, scopes } = tokens;
  const lifetimes = { expires_in: 2_592_000, refresh_token_expires_in: 5_184_000 };
  const json = { access_token: accessToken, refresh_token: refreshToken, scope: [...scopes].join(","), ...lifetimes };
  return { status: 200, json: { ...json, token_type: "bearer" } };
}
