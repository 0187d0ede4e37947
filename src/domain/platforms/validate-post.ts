import { z } from "zod";
import { countHashtags, countMentions } from "#portable/hashtags-and-mentions.ts";
import { countText, textUnits, type TextLimit } from "#portable/count-text.ts";
import type { AssetDetail } from "../assets/model/asset.ts";
import { getAccountLabel, type PlatformConnection } from "./connection.ts";
import { findAltTextProblems, findFileProblems, findImageProblems } from "./find-file-problems.ts";
import { groupProblems, type FileProblem } from "./group-problems.ts";
import { applyInstanceLimits } from "./instance-limits.ts";
import { selectImageLimit, type MediaLimit, type PostLimits } from "./limits.ts";
import type { Platforms } from "./ports.ts";
import { findMediaProblems } from "./media-reachability.ts";
import { getCrops, type Crop } from "../renditions/crop.ts";
import type { CropPosition } from "../renditions/plan-layout.ts";
import { canBeDecoded } from "../renditions/plan-rendition.ts";
import type { ImageInspection } from "../renditions/ports.ts";

const problem = z.object({
  level: z.enum(["rejected", "converted", "warning"]).describe("converted: the platform receives a changed version."),
  code: z.string(),
  message: z.string(),
  assetId: z.string().optional().describe("Only if the problem concerns one file."),
  assetIds: z.array(z.string()).optional().describe("Only if the problem concerns several files."),
});

type Problem = z.infer<typeof problem>;
type ProblemDetail = Omit<Problem, "level">;

/** The problems of a post on one connected account. */
export const validationView = z.object({
  platform: z.string(),
  connectionId: z.string(),
  account: z.string(),
  problems: z.array(problem).describe("Empty: the platform would accept the post."),
  text: z
    .object({
      length: z.number().int(),
      max: z.number().int(),
      unit: z.enum(textUnits),
      linkLength: z.number().int().optional().describe("Every link counts as this many characters."),
      variesByInstance: z.boolean().describe("true: the account's instance may allow more."),
    })
    .optional()
    .describe("Length of the account's text as the platform counts it, and the limit. Absent: no known limit."),
  source: z
    .object({ url: z.string(), readOn: z.string(), dated: z.string().optional() })
    .describe("The platform's documentation that the limits come from, when we read it, and its own date."),
});

export type ValidationView = z.infer<typeof validationView>;

interface PostToValidate {
  title: string;
  body: string;
  assets: readonly AssetDetail[];
  variants?: readonly { connectionId: string; body: string }[];
  crops?: readonly Crop[] | undefined;
  /** What is known about the images, by asset id. */
  inspections?: ReadonlyMap<string, ImageInspection>;
}

/** A post as one account would receive it. */
type PostForAccount = Omit<PostToValidate, "variants" | "crops"> & { crops?: ReadonlyMap<string, CropPosition> };

/** Finds the problems that the post would have on each connected account. Makes no network requests. */
export function validatePost(
  platforms: Platforms,
  connections: readonly PlatformConnection[],
  post: PostToValidate,
): ValidationView[] {
  // Validate once per platform and text, even if the studio has several accounts on the platform.
  const resultByKey = new Map<string, Pick<ValidationView, "problems" | "text">>();
  return connections.flatMap(({ id, platform, account, limits: instanceLimits }) => {
    const platformInfo = platforms.find(platform);
    if (!platformInfo) return [];
    const limits = applyInstanceLimits(platformInfo.limits, instanceLimits);
    const body = post.variants?.find((variant) => variant.connectionId === id)?.body ?? post.body;
    const key = `${platform} ${JSON.stringify(instanceLimits)} ${body}`;
    const result = resultByKey.get(key) ?? {
      problems: [
        ...findMediaProblems(platformInfo, post.assets),
        ...findProblems(limits, { ...post, body, crops: getCrops(post.crops ?? [], platform) }),
      ],
      ...measureText(limits, { ...post, body }),
    };
    resultByKey.set(key, result);
    return [{ platform, connectionId: id, account: getAccountLabel(account), ...result, source: limits.sources[0] }];
  });
}

function measureText(
  limits: PostLimits,
  { body, assets }: Pick<PostToValidate, "body" | "assets">,
): Pick<ValidationView, "text"> {
  const limit = findTextLimit("text", limits, assets);
  if (!limit) return {};
  const { max, unit, linkLength } = limit;
  return {
    text: {
      length: countText(body, limit),
      max,
      unit,
      ...(linkLength === undefined ? {} : { linkLength }),
      variesByInstance: limits.variesByInstance ?? false,
    },
  };
}

/** Asset kind, key in `PostLimits`, and error code if a post has too many files of the kind. */
const kinds = [
  ["image", "images", "too_many_pictures"],
  ["video", "videos", "too_many_videos"],
  ["document", "documents", "too_many_documents"],
] as const;

export function findProblems(limits: PostLimits, post: PostForAccount): Problem[] {
  const { title, body, assets, inspections, crops } = post;
  // The account's instance may have other limits than those we know.
  const level = limits.variesByInstance ? "warning" : "rejected";
  const limitProblems = [
    ...findTextProblems("text", "The text", body, findTextLimit("text", limits, assets)),
    ...findHashtagAndMentionProblems(limits, body),
    ...findTextProblems("title", "The title", title, findTextLimit("title", limits, assets)),
    ...findCountProblems(limits, assets),
    ...kinds.flatMap(([kind, limitKey, tooManyCode]) =>
      findTooManyFiles(
        assets.filter((asset) => asset.kind === kind),
        limits[limitKey] ?? {},
        tooManyCode,
        limitKey,
      ),
    ),
  ];
  const fileProblems = assets.flatMap((file): FileProblem[] => {
    if (file.kind === "image" && limits.images) {
      const inspection = inspections?.get(file.id);
      const isUnchecked = inspections !== undefined && !inspection && canBeDecoded(file.mimeType);
      const details = { inspection, crop: crops?.get(file.id), isUnchecked };
      return findImageProblems(file, selectImageLimit(limits.images, assets.length), level, details);
    }
    const [, limitKey] = kinds.find(([kind]) => kind === file.kind) ?? kinds[0];
    const limit = limits[limitKey];
    const problems = limit ? findFileProblems(file, limit) : [describeUnsupportedKind(file.kind, limitKey)];
    return problems.map((detail) => ({ ...detail, level, file }));
  });
  return [
    ...limitProblems.map((detail) => ({ ...detail, level }) as const),
    ...groupProblems([...fileProblems, ...findAltTextProblems(limits, assets, level)]),
  ];
}

function describeUnsupportedKind(kind: string, pluralLabel: string): Pick<FileProblem, "code" | "one" | "many"> {
  const description = `can't be posted: the platform doesn't accept ${pluralLabel}`;
  return { code: `${kind}_unsupported`, one: description, many: description };
}

/** Some platforms have different text limits for posts with certain kinds of files. */
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
  codePrefix: string,
  label: string,
  text: string,
  limit: TextLimit | undefined,
): ProblemDetail[] {
  if (!limit) return [];
  const length = countText(text, limit);
  if (limit.isRequired && text.trim() === "")
    return [{ code: `${codePrefix}_missing`, message: `${label} is empty; the platform requires it.` }];
  const bytes = Buffer.byteLength(text);
  if (length <= limit.max && limit.maxBytes !== undefined && bytes > limit.maxBytes)
    return [
      {
        code: `${codePrefix}_too_long`,
        message: `${label} has ${bytes} bytes in UTF-8; the limit is ${limit.maxBytes}.`,
      },
    ];
  return length > limit.max
    ? [
        {
          code: `${codePrefix}_too_long`,
          message: `${label} has ${length} characters as the platform counts them; the limit is ${limit.max}.`,
        },
      ]
    : [];
}

function findHashtagAndMentionProblems({ hashtagsAndMentions: limit }: PostLimits, text: string): ProblemDetail[] {
  if (!limit) return [];
  const counts = [
    { code: "too_many_hashtags", label: "hashtags", count: countHashtags(text), max: limit.maxHashtags },
    { code: "too_many_mentions", label: "mentions", count: countMentions(text), max: limit.maxMentions },
  ];
  return counts
    .filter(({ count, max }) => count > max)
    .map(({ code, label, count, max }) => ({
      code,
      message: `The text has ${count} ${label}; the platform allows up to ${max}.`,
    }));
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
            message: `Add at least ${min} ${min === 1 ? "file" : "files"}.`,
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
  { max = Infinity }: Pick<MediaLimit, "max">,
  code: string,
  pluralLabel: string,
): ProblemDetail[] {
  if (files.length <= max) return [];
  return [{ code, message: `The post has ${files.length} ${pluralLabel}; the platform allows up to ${max}.` }];
}
