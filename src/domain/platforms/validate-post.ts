import { z } from "zod";
import { selectForAccount } from "#portable/select-for-account.ts";
import { countText, textUnits, type TextLimit } from "#portable/count-text.ts";
import type { AssetDetail } from "../assets/model/asset.ts";
import { getAccountLabel, type PlatformConnection } from "./connection.ts";
import { fileKinds, findCountProblems } from "./find-count-problems.ts";
import { findAltTextProblems, findFileProblems, findImageProblems } from "./find-file-problems.ts";
import { findHashtagAndMentionProblems, findTextProblems } from "./find-text-problems.ts";
import { groupProblems, type FileProblem } from "./group-problems.ts";
import { applyInstanceLimits } from "./instance-limits.ts";
import { selectImageLimit, type PostLimits } from "./limits.ts";
import type { Platforms } from "./ports.ts";
import { findMediaProblems } from "./media-reachability.ts";
import { getCrops, type Crop } from "../renditions/crop.ts";
import type { CropPosition } from "../renditions/plan-layout.ts";
import { canBeDecoded } from "../renditions/plan-rendition.ts";
import type { ImageInspection } from "../renditions/ports.ts";
import type { Variant } from "../posts/variant.ts";

const problem = z.object({
  level: z.enum(["rejected", "converted", "warning"]).describe("converted: the platform receives a changed version."),
  code: z.string(),
  message: z.string(),
  assetId: z.string().optional().describe("Only if the problem concerns one file."),
  assetIds: z.array(z.string()).optional().describe("Only if the problem concerns several files."),
  size: z
    .object({ width: z.number().int(), height: z.number().int() })
    .optional()
    .describe("Only if images are converted: the size that the platform receives."),
  max: z.number().int().optional().describe("Only if there are too many files: the most that the platform accepts."),
});

type Problem = z.infer<typeof problem>;

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
      countsMentionsWithoutServer: z.boolean().optional().describe("@ada@example.com counts as @ada."),
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
  variants?: readonly Variant[];
  crops?: readonly Crop[] | undefined;
  /** What is known about the images, by asset id. */
  inspections?: ReadonlyMap<string, ImageInspection>;
}

/** A post as one account would receive it. */
type PostForAccount = Omit<PostToValidate, "variants" | "crops"> & {
  crops?: ReadonlyMap<string, CropPosition>;
  /** Whether the files were chosen for this account. */
  hasFileChoice?: boolean;
};

/** Finds the problems that the post would have on each connected account. Makes no network requests. */
export function validatePost(
  platforms: Platforms,
  connections: readonly PlatformConnection[],
  post: PostToValidate,
): ValidationView[] {
  // Validate once per platform and content, even if the studio has several accounts on the platform.
  const resultByKey = new Map<string, Pick<ValidationView, "problems" | "text">>();
  return connections.flatMap(({ id, platform, account, limits: instanceLimits }) => {
    const platformInfo = platforms.find(platform);
    if (!platformInfo) return [];
    const limits = applyInstanceLimits(platformInfo.limits, instanceLimits);
    const content = selectForAccount({ ...post, variants: post.variants ?? [] }, id);
    const { body, assets, hasFileChoice } = content;
    const assetIds = assets.map((asset) => asset.id);
    const key = JSON.stringify([platform, instanceLimits, body, assetIds, hasFileChoice]);
    const result = resultByKey.get(key) ?? {
      problems: [
        ...findMediaProblems(platformInfo, assets),
        ...findProblems(limits, { ...post, ...content, crops: getCrops(post.crops ?? [], platform) }),
        ...(post.assets.length > 0 && assets.length === 0 && !limits.files?.min ? [noFilesWarning] : []),
      ],
      ...measureText(limits, { body, assets }),
    };
    resultByKey.set(key, result);
    return [{ platform, connectionId: id, account: getAccountLabel(account), ...result, source: limits.sources[0] }];
  });
}

/**
 * The files of the choice may have been removed from the post since. Where files are required, the problem
 * `files_missing` says so instead.
 */
const noFilesWarning: Problem = {
  level: "warning",
  code: "no_files_chosen",
  message: "This account gets none of the post’s files.",
};

function measureText(
  limits: PostLimits,
  { body, assets }: Pick<PostToValidate, "body" | "assets">,
): Pick<ValidationView, "text"> {
  const limit = findTextLimit("text", limits, assets);
  if (!limit) return {};
  const { max, unit, linkLength, countsMentionsWithoutServer } = limit;
  return {
    text: {
      length: countText(body, limit),
      max,
      unit,
      ...(linkLength === undefined ? {} : { linkLength }),
      ...(countsMentionsWithoutServer === undefined ? {} : { countsMentionsWithoutServer }),
      variesByInstance: limits.variesByInstance ?? false,
    },
  };
}

export function findProblems(limits: PostLimits, post: PostForAccount): Problem[] {
  const { title, body, assets, inspections, crops, hasFileChoice = false } = post;
  // The account's instance may have other limits than those we know.
  const level = limits.variesByInstance ? "warning" : "rejected";
  const limitProblems = [
    ...findTextProblems("text", "The text", body, findTextLimit("text", limits, assets), limits),
    ...findHashtagAndMentionProblems(limits, body),
    ...findTextProblems("title", "The title", title, findTextLimit("title", limits, assets), limits),
    ...findCountProblems(limits, assets, hasFileChoice),
  ];
  const fileProblems = assets.flatMap((file): FileProblem[] => {
    if (file.kind === "image" && limits.images) {
      const inspection = inspections?.get(file.id);
      const isUnchecked = inspections !== undefined && !inspection && canBeDecoded(file.mimeType);
      const details = { inspection, crop: crops?.get(file.id), isUnchecked };
      return findImageProblems(file, selectImageLimit(limits.images, assets.length), level, details);
    }
    const [, limitKey] = fileKinds.find(([kind]) => kind === file.kind) ?? fileKinds[0];
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
  const description = `can’t be posted: the platform doesn’t accept ${pluralLabel}`;
  return { code: `${kind}_unsupported`, one: description, many: description };
}

/** Some platforms have different text limits for posts with certain kinds of files. */
function findTextLimit(
  field: "text" | "title",
  limits: PostLimits,
  assets: readonly AssetDetail[],
): TextLimit | undefined {
  const presentKinds = fileKinds.filter(([kind]) => assets.some((asset) => asset.kind === kind));
  return (
    presentKinds.map(([, limitKey]) => limits[limitKey]?.[field]).find((limit) => limit !== undefined) ?? limits[field]
  );
}
