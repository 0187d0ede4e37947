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
  level: z.enum(["rejected", "warning"]),
  code: z.string(),
  message: z.string(),
  assetId: z.string().optional(),
});

type Problem = z.infer<typeof problem>;

/** The problems of a post on one connected account. */
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

interface DraftPost {
  title: string;
  body: string;
  assets: readonly AssetDetail[];
  variants?: readonly { connectionId: string; body: string }[];
}

/** Finds what each connected platform would reject or warn about. Makes no network requests. */
export function validatePost(
  platforms: Platforms,
  connections: readonly PlatformConnection[],
  post: DraftPost,
): ValidationView[] {
  // Validate once per platform and text, even if the studio has several accounts there.
  const problemsByKey = new Map<string, Problem[]>();
  return connections.flatMap(({ id, platform, account }) => {
    const limits = platforms.find(platform)?.limits;
    if (!limits) return [];
    const body = post.variants?.find((variant) => variant.connectionId === id)?.body ?? post.body;
    const key = `${platform} ${body}`;
    const problems = problemsByKey.get(key) ?? findProblems(limits, { ...post, body });
    problemsByKey.set(key, problems);
    return [{ platform, connectionId: id, account: getAccountLabel(account), problems, source: limits.sources[0] }];
  });
}

/** Asset kind, key in `PostLimits`, and error code if a post has too many files of the kind. */
const kinds = [
  ["image", "images", "too_many_pictures"],
  ["video", "videos", "too_many_videos"],
  ["document", "documents", "too_many_documents"],
] as const;

export function findProblems(limits: PostLimits, { title, body, assets }: DraftPost): Problem[] {
  // The limits of an instance may differ from the ones we know.
  const level = limits.variesByInstance ? "warning" : "rejected";
  const limitProblems = [
    ...findTextProblems("text", "The text", body, findTextLimit("text", limits, assets)),
    ...findTextProblems("title", "The title", title, findTextLimit("title", limits, assets)),
    ...findCountProblems(limits, assets),
    ...kinds.flatMap(([kind, limitKey, tooManyCode]) => {
      const limit = limits[limitKey];
      const files = assets.filter((asset) => asset.kind === kind);
      if (limit)
        return [
          ...findTooManyFiles(files, limit, tooManyCode, limitKey),
          ...files.flatMap((file) => findFileProblems(file, limit)),
        ];
      return files.map((file) =>
        describeFileProblem(file, `${kind}_unsupported`, `can't be posted: the platform doesn't accept ${limitKey}`),
      );
    }),
  ];
  return [...limitProblems.map((detail) => ({ ...detail, level }) as const), ...findAltTextProblems(limits, assets)];
}

type ProblemDetail = Omit<Problem, "level">;

/** Some platforms have other text limits for posts with a certain kind of file. */
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
    return [{ code: `${code}_missing`, message: `${description} is empty; the platform requires it.` }];
  return length > limit.max
    ? [
        {
          code: `${code}_too_long`,
          message: `${description} has ${length} characters as the platform counts them; the limit is ${limit.max}.`,
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
      ? [
          {
            code: "files_missing",
            message: `The post has ${assets.length} files; the platform requires at least ${min}.`,
          },
        ]
      : []),
    ...(assets.length > max
      ? [{ code: "too_many_files", message: `The post has ${assets.length} files; the platform allows up to ${max}.` }]
      : []),
    ...(!limits.allowsMixedKinds && acceptedKinds.length > 1
      ? [{ code: "mixed_media", message: "The platform allows only one kind of file per post." }]
      : []),
  ];
}

function findTooManyFiles(
  files: readonly AssetDetail[],
  { max = Infinity }: MediaLimit,
  code: string,
  pluralLabel: string,
): ProblemDetail[] {
  if (files.length <= max) return [];
  return [{ code, message: `The post has ${files.length} ${pluralLabel}; the platform allows up to ${max}.` }];
}

function findFileProblems(file: AssetDetail, limit: MediaLimit & ImageLimit & VideoLimit): ProblemDetail[] {
  const { mimeType, bytes, width, height, durationMs } = file;
  const maxBytes = limit.maxBytesByType?.[mimeType] ?? limit.maxBytes;
  const dimensions = width && height ? { width, height } : undefined;
  // Tolerate one pixel: 1200 × 628 is commonly used for 1.91:1.
  const tooWide = exceeds(dimensions && (dimensions.width - 1) / (dimensions.height + 1), limit.maxAspect);
  const tooTall = exceeds(limit.minAspect, dimensions && (dimensions.width + 1) / Math.max(dimensions.height - 1, 1));
  return [
    limit.types.includes(mimeType)
      ? undefined
      : describeFileProblem(file, "type_unsupported", `is ${mimeType}; the platform accepts ${limit.types.join(", ")}`),
    exceeds(bytes, maxBytes) && describeFileProblem(file, "file_too_large", describeExcessSize(bytes, maxBytes)),
    exceeds(dimensions && dimensions.width * dimensions.height, limit.maxPixels) &&
      describeFileProblem(
        file,
        "too_many_pixels",
        `is ${width} × ${height} pixels; the platform allows up to ${limit.maxPixels} in total`,
      ),
    (exceeds(width, limit.maxWidth) || exceeds(height, limit.maxHeight)) &&
      describeFileProblem(
        file,
        "too_many_pixels",
        `is ${width} × ${height} pixels; the platform allows up to ${limit.maxWidth ?? "any"} × ${limit.maxHeight ?? "any"}`,
      ),
    (exceeds(limit.minWidth, width) || exceeds(limit.minHeight, height)) &&
      describeFileProblem(
        file,
        "too_few_pixels",
        `is ${width} × ${height} pixels; the platform requires at least ${limit.minWidth ?? 1} × ${limit.minHeight ?? 1}`,
      ),
    (tooWide || tooTall) &&
      describeFileProblem(file, "aspect_ratio", `is too ${tooWide ? "wide" : "tall"} for the platform`),
    exceeds(durationMs, limit.maxDurationMs) &&
      describeFileProblem(
        file,
        "video_too_long",
        `lasts ${formatSeconds(durationMs)}; the platform allows up to ${formatSeconds(limit.maxDurationMs)}`,
      ),
    exceeds(limit.minDurationMs, durationMs) &&
      describeFileProblem(
        file,
        "video_too_short",
        `lasts ${formatSeconds(durationMs)}; the platform requires at least ${formatSeconds(limit.minDurationMs)}`,
      ),
  ].filter((detail) => typeof detail === "object");
}

/** Only warnings: no platform rejects an image for its alt text. */
function findAltTextProblems({ altText }: PostLimits, assets: readonly AssetDetail[]): Problem[] {
  if (!altText) return [];
  return assets.flatMap((asset): Problem[] => {
    if (asset.kind !== "image") return [];
    if (!asset.altText)
      return [{ ...describeFileProblem(asset, "alt_text_missing", "has no alt text"), level: "warning" }];
    const { maxLength = Infinity } = altText;
    if (asset.altText.length <= maxLength) return [];
    return [
      {
        ...describeFileProblem(
          asset,
          "alt_text_too_long",
          `has an alt text of ${asset.altText.length} characters; the platform allows up to ${maxLength}`,
        ),
        level: "warning",
      },
    ];
  });
}

/** False if either number is unknown. */
function exceeds(value: number | null | undefined, limit: number | null | undefined): boolean {
  return typeof value === "number" && typeof limit === "number" && value > limit;
}

function describeFileProblem(file: AssetDetail, code: string, description: string): ProblemDetail {
  return { code, message: `${file.filename} ${description}.`, assetId: file.id };
}

function describeExcessSize(bytes: number | null, maxBytes: number | undefined): string {
  const { size, limit } = formatExcess(bytes ?? 0, maxBytes ?? 0);
  return `is ${size}; the platform allows up to ${limit}`;
}

const formatSeconds = (ms: number | undefined): string => `${Math.round((ms ?? 0) / 100) / 10} s`;
