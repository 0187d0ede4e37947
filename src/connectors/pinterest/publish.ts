import type { ContentAsset } from "#domain/model/publication-content.ts";
import type { CommitOutcome, LookUpOutcome } from "#domain/ports/publisher.ts";
import type { AccountChoices, Choice } from "#portable/post-options.ts";
import { parseList, requireId, requireText, toObject, toObjectList, toText } from "../call-api.ts";
import type { JsonObject } from "../platform.ts";
import { findVideo } from "../publishing/find-video.ts";
import { StepFailure } from "../publishing/step-failure.ts";
import type {
  CallContext,
  CommitContext,
  LookUpContext,
  Preparation,
  PrepareContext,
  ResultsContext,
} from "../publishing/publish-module.ts";
import {
  chooseOnlyMatch,
  clockToleranceMs,
  excludeOtherPosts,
  toPublished,
  type ReadBackProgress,
  type RemotePost,
} from "../publishing/read-back.ts";
import {
  awaitFiles,
  listMediaIds,
  uploadFiles,
  type ProcessingStatus,
  type UploadedFile,
} from "../publishing/upload-files.ts";

/** How many of the board's pins are compared after a lost response. Their order is not documented. */
const maxComparedPins = 40;
const boardsPerPage = 100;
const maxBoards = 300;

export interface PinterestProgress extends ReadBackProgress {
  sectionId?: string | undefined;
}

export const fetchedMedia = "images";

export const listPostHosts = (): string[] => ["pinterest.com"];

export async function prepare(context: PrepareContext<PinterestProgress>): Promise<Preparation> {
  if (findVideo(context.content)) {
    await uploadFiles(context, (asset) => uploadVideo(context, asset));
    await awaitFiles(context, (mediaId) => readMediaStatus(context, mediaId));
  }
  if (context.options["section"] !== undefined) await context.save({ sectionId: await findSection(context) });
  await context.save({ earlierPostIds: await readPins(context, ({ id }) => requireId(id)) });
  return "prepared";
}

/** Registers the video, and sends it with a form to where Pinterest says. */
async function uploadVideo({ call, send }: CallContext, asset: ContentAsset): Promise<UploadedFile> {
  const { mimeType, filename } = asset;
  const upload = await call({ method: "POST", path: "/media", json: { media_type: "video" } }, (body) => ({
    id: requireId(body["media_id"], "media_id"),
    url: new URL(requireText(body["upload_url"], "upload_url")).href,
    fields: Object.fromEntries(
      Object.entries(toObject(body["upload_parameters"])).map(([name, value]) => [name, requireText(value, name)]),
    ),
  }));
  const form = { fields: upload.fields, fileField: "file", filename, mimeType };
  await send({ method: "POST", url: upload.url, file: { asset, form } }, () => {});
  return { id: upload.id, isPending: true };
}

const readMediaStatus = ({ call }: CallContext, mediaId: string): Promise<ProcessingStatus> =>
  call({ method: "GET", path: `/media/${encodeURIComponent(mediaId)}` }, ({ status }) => {
    if (status === "succeeded") return { kind: "ready" };
    return { kind: status === "failed" ? "rejected" : "in_progress" };
  });

async function findSection({ call, options }: CallContext): Promise<string> {
  const name = String(options["section"]).trim().toLowerCase();
  const query = { page_size: String(boardsPerPage) };
  const sections = await call(
    { method: "GET", path: `${buildBoardPath(options["board"])}/sections`, query },
    ({ items }) => toObjectList(items),
  );
  const section = sections.find((each) => toText(each["name"])?.trim().toLowerCase() === name);
  const message = "The board has no section with this name. Choose another section, or none.";
  if (!section) throw new StepFailure({ kind: "rejected", code: "section_missing", message });
  return requireId(section["id"]);
}

export async function commit(context: CommitContext<PinterestProgress>): Promise<CommitOutcome> {
  const { content, options, progress } = context;
  const json = {
    board_id: options["board"],
    board_section_id: progress.sectionId,
    title: toField(content.title),
    description: toField(content.text),
    alt_text: toField(content.assets[0]?.altText),
    link: options["link"],
    media_source: buildMediaSource(context),
  };
  return toPublished(await context.call({ method: "POST", path: "/pins", json }, toPin));
}

const toField = (text: string | null | undefined): string | undefined =>
  text === "" ? undefined : (text ?? undefined);

function buildMediaSource(context: CommitContext): JsonObject {
  if (findVideo(context.content)) {
    const [mediaId] = listMediaIds(context);
    const cover = Number(context.options["coverSecond"] ?? 0);
    return { source_type: "video_id", media_id: mediaId, cover_image_key_frame_time: cover };
  }
  const urls = context.content.assets.map((asset) => context.createMediaUrl(asset));
  return urls.length === 1
    ? { source_type: "image_url", url: urls[0] }
    : { source_type: "multiple_image_urls", items: urls.map((url) => ({ url })) };
}

/** Compares the pins of the board with what was sent. Pinterest has no key for a repetition. */
export async function lookUp(context: LookUpContext<PinterestProgress>): Promise<LookUpOutcome> {
  const pins = await readPins(context, (pin) => ({ ...toPin(pin), isSame: isSamePin(pin, context) }));
  return chooseOnlyMatch(
    await excludeOtherPosts(
      context,
      pins.filter(({ isSame }) => isSame),
    ),
  );
}

function readPins<T>(
  { call, options, progress }: CallContext<PinterestProgress>,
  parse: (pin: JsonObject) => T,
): Promise<T[]> {
  const section = progress.sectionId === undefined ? "" : `/sections/${encodeURIComponent(progress.sectionId)}`;
  const query = { page_size: String(maxComparedPins) };
  return call({ method: "GET", path: `${buildBoardPath(options["board"])}${section}/pins`, query }, ({ items }) =>
    parseList(items, parse),
  );
}

const isSamePin = (pin: JsonObject, { content, options, committedAt }: LookUpContext): boolean =>
  Date.parse(toText(pin["created_at"]) ?? "") >= committedAt - clockToleranceMs &&
  isSameText(pin["title"], content.title) &&
  isSameText(pin["description"], content.text) &&
  isSameText(pin["link"], options["link"]);

const isSameText = (received: unknown, sent: unknown): boolean =>
  (toText(received) ?? "").trim() === (toText(sent) ?? "").trim();

function toPin(pin: JsonObject): RemotePost {
  const id = requireId(pin["id"]);
  return { id, url: `https://www.pinterest.com/pin/${encodeURIComponent(id)}/` };
}

const buildBoardPath = (board: unknown): string => `/boards/${encodeURIComponent(String(board))}`;

/** The boards of the account. */
export async function readChoices({ call }: ResultsContext): Promise<AccountChoices> {
  const board: Choice[] = [];
  let bookmark: string | undefined;
  do {
    const query = { page_size: String(boardsPerPage), ...(bookmark === undefined ? {} : { bookmark }) };
    bookmark = await call({ method: "GET", path: "/boards", query }, ({ items, bookmark: next }) => {
      board.push(...toObjectList(items).map(toChoice));
      return toText(next);
    });
  } while (bookmark !== undefined && board.length < maxBoards);
  return { board };
}

const toChoice = ({ id, name, privacy }: JsonObject): Choice => ({
  value: requireId(id),
  label: `${requireText(name, "name")}${privacy === "SECRET" ? " (secret)" : ""}`,
});
