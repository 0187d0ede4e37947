import { z } from "zod";
import { formatExcess } from "#lib/format-bytes.ts";
import type { AssetDetail } from "../assets/model/asset.ts";
import { getAccountLabel, type PlatformConnection } from "./connection.ts";
import {
  countText,
  type ImageLimit,
  type MediaLimit,
  type PostLimits,
  type TextLimit,
  type VideoLimit,
} from "./limits.ts";
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
  problems: z.array(problem).describe("Empty: the platform would accept the post."),
  source: z
    .object({ url: z.string(), readOn: z.string(), dated: z.string().optional() })
    .describe("The platform's documentation that the limits come from, when we read it, and its own date."),
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
  const resultByPlatform = new Map(
    [...new Set(connections.map(({ platform }) => platform))].flatMap((platform) => {
      const limits = platforms.find(platform)?.limits;
      return limits ? [[platform, { problems: findProblems(limits, post), source: limits.sources[0] }] as const] : [];
    }),
  );
  return connections.flatMap(({ id, platform, account }) => {
    const result = resultByPlatform.get(platform);
    return result ? [{ platform, connectionId: id, account: getAccountLabel(account), ...result }] : [];
  });
}

const kinds = [
  ["image", "images", "picture"],
  ["video", "videos", "video"],
  ["document", "documents", "document"],
] as const;

export function findProblems(limits: PostLimits, { title, body, assets }: Draft): Problem[] {
  // Where an instance may have set other bounds, ours are only what is likely.
  const level = limits.variesByInstance ? "warning" : "refused";
  const limitProblems = [
    ...findTextProblems("text", "The text", body, findTextLimit("text", limits, assets)),
    ...findTextProblems("title", "The title", title, findTextLimit("title", limits, assets)),
    ...findCountProblems(limits, assets),
    ...kinds.flatMap(([kind, limitKey, label]) => {
      const limit = limits[limitKey];
      const files = assets.filter((asset) => asset.kind === kind);
      if (limit)
        return [...findTooManyFiles(files, limit, label), ...files.flatMap((file) => findFileProblems(file, limit))];
      return files.map((file) =>
        describeFileProblem(file, `${kind}_unsupported`, `cannot be posted: the platform takes no ${label}s`),
      );
    }),
  ];
  return [...limitProblems.map((detail) => ({ ...detail, level }) as const), ...findAltTextProblems(limits, assets)];
}

type ProblemDetail = Omit<Problem, "level">;

/** That of the post's files, where their kind has one of its own. */
function findTextLimit(
  field: "text" | "title",
  limits: PostLimits,
  assets: readonly AssetDetail[],
): TextLimit | undefined {
  const presentKinds = kinds.filter(([kind]) => assets.some((asset) => asset.kind === kind));
  return (
    presentKinds.map(([, limitKey]) => limits[limitKey]?.[field]).find((limit) => limit !== undefined) ?? limits[field]
  );
}

function findTextProblems(
  code: string,
  description: string,
  text: string,
  limit: TextLimit | undefined,
): ProblemDetail[] {
  if (!limit) return [];
  const length = countText(text, limit);
  if (limit.isRequired && text.trim() === "")
    return [{ code: `${code}_missing`, message: `${description} is empty, and the platform wants one.` }];
  return length > limit.max
    ? [
        {
          code: `${code}_too_long`,
          message: `${description} has ${length} characters as the platform counts them; it takes ${limit.max}.`,
        },
      ]
    : [];
}

function findCountProblems(limits: PostLimits, assets: readonly AssetDetail[]): ProblemDetail[] {
  const { min = 0, max = Infinity } = limits.files ?? {};
  const acceptedKinds = kinds.filter(
    ([kind, limitKey]) => limits[limitKey] && assets.some((asset) => asset.kind === kind),
  );
  return [
    ...(assets.length < min
      ? [{ code: "files_missing", message: `The post has ${assets.length} files; the platform wants ${min} at least.` }]
      : []),
    ...(assets.length > max
      ? [{ code: "too_many_files", message: `The post has ${assets.length} files; the platform takes ${max}.` }]
      : []),
    ...(!limits.allowsMixedKinds && acceptedKinds.length > 1
      ? [{ code: "mixed_media", message: "The platform takes one kind of file in a post, not several." }]
      : []),
  ];
}

function findTooManyFiles(
  files: readonly AssetDetail[],
  { max = Infinity }: MediaLimit,
  label: string,
): ProblemDetail[] {
  if (files.length <= max) return [];
  return [
    { code: `too_many_${label}s`, message: `The post has ${files.length} ${label}s; the platform takes ${max}.` },
  ];
}

function findFileProblems(file: AssetDetail, limit: MediaLimit & ImageLimit & VideoLimit): ProblemDetail[] {
  const { mimeType, bytes, width, height, durationMs } = file;
  const maxBytes = limit.maxBytesByType?.[mimeType] ?? limit.maxBytes;
  const dimensions = width && height ? { width, height } : undefined;
  // A pixel more or less is not held against it: 1200 × 628 is what everybody means by 1.91:1.
  const tooWide = exceeds(dimensions && (dimensions.width - 1) / (dimensions.height + 1), limit.maxAspect);
  const tooTall = exceeds(limit.minAspect, dimensions && (dimensions.width + 1) / Math.max(dimensions.height - 1, 1));
  return [
    limit.types.includes(mimeType)
      ? undefined
      : describeFileProblem(file, "type_unsupported", `is ${mimeType}; the platform takes ${limit.types.join(", ")}`),
    exceeds(bytes, maxBytes) && describeFileProblem(file, "file_too_large", tooLarge(bytes, maxBytes)),
    exceeds(dimensions && dimensions.width * dimensions.height, limit.maxPixels) &&
      describeFileProblem(
        file,
        "too_many_pixels",
        `is ${width} × ${height} pixels; the platform takes ${limit.maxPixels} in all`,
      ),
    (exceeds(width, limit.maxWidth) || exceeds(height, limit.maxHeight)) &&
      describeFileProblem(
        file,
        "too_many_pixels",
        `is ${width} × ${height} pixels; the platform takes ${limit.maxWidth ?? "any"} × ${limit.maxHeight ?? "any"}`,
      ),
    (exceeds(limit.minWidth, width) || exceeds(limit.minHeight, height)) &&
      describeFileProblem(
        file,
        "too_few_pixels",
        `is ${width} × ${height} pixels; the platform wants ${limit.minWidth ?? 1} × ${limit.minHeight ?? 1} at least`,
      ),
    (tooWide || tooTall) &&
      describeFileProblem(file, "aspect_ratio", `is too ${tooWide ? "wide" : "tall"} for the platform`),
    exceeds(durationMs, limit.maxDurationMs) &&
      describeFileProblem(
        file,
        "video_too_long",
        `lasts ${formatSeconds(durationMs)}; the platform takes ${formatSeconds(limit.maxDurationMs)}`,
      ),
    exceeds(limit.minDurationMs, durationMs) &&
      describeFileProblem(
        file,
        "video_too_short",
        `lasts ${formatSeconds(durationMs)}; the platform wants ${formatSeconds(limit.minDurationMs)} at least`,
      ),
  ].filter((detail) => typeof detail === "object");
}

/** Nobody refuses a picture for it, but someone is left out. */
function findAltTextProblems({ altText }: PostLimits, assets: readonly AssetDetail[]): Problem[] {
  if (!altText) return [];
  return assets.flatMap((asset): Problem[] => {
    if (asset.kind !== "image") return [];
    if (!asset.altText)
      return [{ ...describeFileProblem(asset, "alt_text_missing", "has no alternative text"), level: "warning" }];
    const { maxLength = Infinity } = altText;
    if (asset.altText.length <= maxLength) return [];
    return [
      {
        ...describeFileProblem(
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
function exceeds(value: number | null | undefined, bound: number | null | undefined): boolean {
  return typeof value === "number" && typeof bound === "number" && value > bound;
}

function describeFileProblem(file: AssetDetail, code: string, description: string): ProblemDetail {
  return { code, message: `${file.filename} ${description}.`, assetId: file.id };
}

function tooLarge(bytes: number | null, maxBytes: number | undefined): string {
  const { size, limit } = formatExcess(bytes ?? 0, maxBytes ?? 0);
  return `is ${size}; the platform allows up to ${limit}`;
}

const formatSeconds = (ms: number | undefined): string => `${Math.round((ms ?? 0) / 100) / 10} s`;
