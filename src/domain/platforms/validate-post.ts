import { z } from "zod";
import { formatExcess } from "#lib/format-bytes.ts";
import type { AssetDetail } from "../assets/asset.ts";
import { accountLabel, type PlatformConnection } from "./connection.ts";
import { lengthThere } from "./count-text.ts";
import type { ImageLimit, MediaLimit, PostLimits, TextLimit, VideoLimit } from "./limits.ts";
import type { Platforms } from "./ports.ts";

const problem = z.object({
  level: z.enum(["refused", "warning"]),
  code: z.string(),
  message: z.string(),
  assetId: z.string().optional(),
});

type Problem = z.infer<typeof problem>;

/** What one connected account's platform would say to a post. */
export const validationView = z.object({
  platform: z.string(),
  connectionId: z.string(),
  account: z.string(),
  problems: z.array(problem).describe("Empty: the platform would take the post as it is."),
  source: z
    .object({ url: z.string(), readOn: z.string(), dated: z.string().optional() })
    .describe("The platform's documentation the bounds are from, the day it was read, and the day it bears itself."),
});

export type ValidationView = z.infer<typeof validationView>;

interface Draft {
  title: string;
  body: string;
  assets: readonly AssetDetail[];
}

/** What each connected platform would refuse of this post, or warn about. Changes nothing and asks nobody. */
export function validatePost(
  platforms: Platforms,
  connections: readonly PlatformConnection[],
  post: Draft,
): ValidationView[] {
  // Judged once a platform, however many accounts the studio has there.
  const judged = new Map(
    [...new Set(connections.map(({ platform }) => platform))].flatMap((platform) => {
      const limits = platforms.find(platform)?.limits;
      return limits ? [[platform, { problems: problemsOf(limits, post), source: limits.sources[0] }] as const] : [];
    }),
  );
  return connections.flatMap(({ id, platform, account }) => {
    const verdict = judged.get(platform);
    return verdict ? [{ platform, connectionId: id, account: accountLabel(account), ...verdict }] : [];
  });
}

const kinds = [
  ["image", "images", "picture"],
  ["video", "videos", "video"],
  ["document", "documents", "document"],
] as const;

export function problemsOf(limits: PostLimits, { title, body, assets }: Draft): Problem[] {
  // Where an instance may have set other bounds, ours are only what is likely.
  const level = limits.setByInstance ? "warning" : "refused";
  const found = [
    ...textProblems("text", "The text", body, writtenLimit("text", limits, assets)),
    ...textProblems("title", "The title", title, writtenLimit("title", limits, assets)),
    ...countProblems(limits, assets),
    ...kinds.flatMap(([kind, bounds, word]) => {
      const limit = limits[bounds];
      const files = assets.filter((asset) => asset.kind === kind);
      if (limit) return [...tooMany(files, limit, word), ...files.flatMap((file) => fileProblems(file, limit))];
      return files.map((file) =>
        about(file, `${kind}_unsupported`, `cannot be posted: the platform takes no ${word}s`),
      );
    }),
  ];
  return [...found.map((one) => ({ ...one, level }) as const), ...altTextProblems(limits, assets)];
}

type Found = Omit<Problem, "level">;

/** That of the post's files, where their kind has one of its own. */
function writtenLimit(
  part: "text" | "title",
  limits: PostLimits,
  assets: readonly AssetDetail[],
): TextLimit | undefined {
  const present = kinds.filter(([kind]) => assets.some((asset) => asset.kind === kind));
  return present.map(([, bounds]) => limits[bounds]?.[part]).find((limit) => limit !== undefined) ?? limits[part];
}

function textProblems(code: string, what: string, text: string, limit: TextLimit | undefined): Found[] {
  if (!limit) return [];
  const length = lengthThere(text, limit);
  if (limit.required && text.trim() === "")
    return [{ code: `${code}_missing`, message: `${what} is empty, and the platform wants one.` }];
  return length > limit.max
    ? [
        {
          code: `${code}_too_long`,
          message: `${what} has ${length} characters as the platform counts them; it takes ${limit.max}.`,
        },
      ]
    : [];
}

function countProblems(limits: PostLimits, assets: readonly AssetDetail[]): Found[] {
  const { min = 0, max = Infinity } = limits.files ?? {};
  const taken = kinds.filter(([kind, bounds]) => limits[bounds] && assets.some((asset) => asset.kind === kind));
  return [
    ...(assets.length < min
      ? [{ code: "files_missing", message: `The post has ${assets.length} files; the platform wants ${min} at least.` }]
      : []),
    ...(assets.length > max
      ? [{ code: "too_many_files", message: `The post has ${assets.length} files; the platform takes ${max}.` }]
      : []),
    ...(!limits.mixed && taken.length > 1
      ? [{ code: "mixed_media", message: "The platform takes one kind of file in a post, not several." }]
      : []),
  ];
}

function tooMany(files: readonly AssetDetail[], { max = Infinity }: MediaLimit, word: string): Found[] {
  if (files.length <= max) return [];
  return [{ code: `too_many_${word}s`, message: `The post has ${files.length} ${word}s; the platform takes ${max}.` }];
}

function fileProblems(file: AssetDetail, limit: MediaLimit & ImageLimit & VideoLimit): Found[] {
  const { mimeType, bytes, width, height, durationMs } = file;
  const maxBytes = limit.maxBytesOf?.[mimeType] ?? limit.maxBytes;
  const sides = width && height ? { width, height } : undefined;
  // A pixel more or less is not held against it: 1200 × 628 is what everybody means by 1.91:1.
  const tooWide = over(sides && (sides.width - 1) / (sides.height + 1), limit.maxAspect);
  const tooTall = over(limit.minAspect, sides && (sides.width + 1) / Math.max(sides.height - 1, 1));
  return [
    limit.types.includes(mimeType)
      ? undefined
      : about(file, "type_unsupported", `is ${mimeType}; the platform takes ${limit.types.join(", ")}`),
    over(bytes, maxBytes) && about(file, "file_too_large", tooLarge(bytes, maxBytes)),
    over(sides && sides.width * sides.height, limit.maxPixels) &&
      about(file, "too_many_pixels", `is ${width} × ${height} pixels; the platform takes ${limit.maxPixels} in all`),
    (over(width, limit.maxWidth) || over(height, limit.maxHeight)) &&
      about(
        file,
        "too_many_pixels",
        `is ${width} × ${height} pixels; the platform takes ${limit.maxWidth ?? "any"} × ${limit.maxHeight ?? "any"}`,
      ),
    (over(limit.minWidth, width) || over(limit.minHeight, height)) &&
      about(
        file,
        "too_few_pixels",
        `is ${width} × ${height} pixels; the platform wants ${limit.minWidth ?? 1} × ${limit.minHeight ?? 1} at least`,
      ),
    (tooWide || tooTall) && about(file, "aspect_ratio", `is too ${tooWide ? "wide" : "tall"} for the platform`),
    over(durationMs, limit.maxDurationMs) &&
      about(file, "video_too_long", `lasts ${seconds(durationMs)}; the platform takes ${seconds(limit.maxDurationMs)}`),
    over(limit.minDurationMs, durationMs) &&
      about(
        file,
        "video_too_short",
        `lasts ${seconds(durationMs)}; the platform wants ${seconds(limit.minDurationMs)} at least`,
      ),
  ].filter((one) => typeof one === "object");
}

/** Nobody refuses a picture for it, but someone is left out. */
function altTextProblems({ altText }: PostLimits, assets: readonly AssetDetail[]): Problem[] {
  if (!altText) return [];
  return assets.flatMap((asset): Problem[] => {
    if (asset.kind !== "image") return [];
    if (!asset.altText) return [{ ...about(asset, "alt_text_missing", "has no alternative text"), level: "warning" }];
    const { maxLength = Infinity } = altText;
    if (asset.altText.length <= maxLength) return [];
    return [
      {
        ...about(
          asset,
          "alt_text_too_long",
          `has an alternative text of ${asset.altText.length} characters; the platform takes ${maxLength}`,
        ),
        level: "warning",
      },
    ];
  });
}

/** What is not known is not held against a file. */
function over(value: number | null | undefined, bound: number | null | undefined): boolean {
  return typeof value === "number" && typeof bound === "number" && value > bound;
}

function about(file: AssetDetail, code: string, what: string): Found {
  return { code, message: `${file.filename} ${what}.`, assetId: file.id };
}

function tooLarge(bytes: number | null, maxBytes: number | undefined): string {
  const { size, limit } = formatExcess(bytes ?? 0, maxBytes ?? 0);
  return `is ${size}; the platform allows up to ${limit}`;
}

const seconds = (ms: number | undefined): string => `${Math.round((ms ?? 0) / 100) / 10} s`;
