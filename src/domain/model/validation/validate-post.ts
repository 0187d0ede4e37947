import { z } from "zod";
import { linkPattern, type TextLimit, textUnits } from "#portable/count-text.ts";
import { listMarkdownForms } from "#portable/markdown.ts";
import { withAccountChoices } from "#portable/post-options.ts";
import { selectForAccount } from "#portable/select-for-account.ts";
import type { AssetDetail } from "../asset.ts";
import { getAccountLabel, type PlatformConnection } from "../connection.ts";
import { applyInstanceLimits, type PostLimits, selectImageLimit } from "../platform-limits.ts";
import type { PlatformInfo } from "../platform.ts";
import { findOptionProblems } from "../post-options.ts";
import { type Crop, getCrops } from "../renditions/crop.ts";
import { canBeDecoded, type ImageInspection } from "../renditions/plan-rendition.ts";
import type { CropPosition } from "../renditions/plan-layout.ts";
import type { Variant } from "../variant.ts";
import { fileKinds, findCountProblems } from "./find-count-problems.ts";
import { findFollowUpProblems } from "./find-follow-up-problems.ts";
import { findAltTextProblems, findFileProblems, findImageProblems } from "./find-file-problems.ts";
import { checkText, findLengthProblems, type TextCheck } from "./find-text-problems.ts";
import { type FileProblem, groupProblems } from "./group-problems.ts";
import { findMediaProblems } from "./media-reachability.ts";
import type { TextChecks } from "./text-checks.ts";

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
  id: string;
  revision: number;
  title: string;
  body: string;
  assets: readonly AssetDetail[];
  variants?: readonly Variant[];
  crops?: readonly Crop[] | undefined;
  /** What is known about the images, by asset id. */
  inspections?: ReadonlyMap<string, ImageInspection>;
}

/** A post as one account would receive it. */
type PostForAccount = Omit<PostToValidate, "id" | "revision" | "variants" | "crops"> & {
  crops?: ReadonlyMap<string, CropPosition>;
  /** Whether the files were chosen for this account. */
  hasFileChoice?: boolean;
};

/** A shorter text takes less time to check than to remember. */
const maxUnrememberedLength = 1000;

/** Finds the problems that the post would have on each connected account. Makes no network requests. */
export async function validatePost(
  { platforms, textChecks }: { platforms: { find(id: string): PlatformInfo | undefined }; textChecks: TextChecks },
  connections: readonly PlatformConnection[],
  post: PostToValidate,
): Promise<ValidationView[]> {
  // Validate once per platform and content, even if the studio has several accounts on the platform.
  const resultByKey = new Map<string, Pick<ValidationView, "problems" | "text">>();
  const views: ValidationView[] = [];
  for (const { id, platform, account, limits: instanceLimits, choices } of connections) {
    const platformInfo = platforms.find(platform);
    if (!platformInfo) continue;
    const limits = applyInstanceLimits(platformInfo.limits, instanceLimits);
    const content = selectForAccount({ ...post, variants: post.variants ?? [] }, id);
    const { body, assets, hasFileChoice, options, followUps } = content;
    const assetIds = assets.map((asset) => asset.id);
    const textKey = [platform, instanceLimits, body === post.body ? null : id];
    const schema = withAccountChoices(platformInfo.options, choices);
    const optionsKey = schema === platformInfo.options ? options : [id, options];
    const key = JSON.stringify([textKey, assetIds, hasFileChoice, optionsKey, followUps]);
    let result = resultByKey.get(key);
    if (!result) {
      const textLimit = findTextLimit("text", limits, assets);
      const find = async (check: () => TextCheck, length: number, ...checkKey: unknown[]): Promise<TextCheck> =>
        length <= maxUnrememberedLength
          ? check()
          : textChecks.find(JSON.stringify([post.id, post.revision, ...checkKey]), check);
      const textCheck = await find(() => checkText(limits, body, textLimit), body.length, textKey, textLimit);
      const followUpLength = followUps.join("").length;
      result = {
        problems: [
          ...findMediaProblems(platformInfo, assets),
          ...findProblems(limits, { ...post, ...content, crops: getCrops(post.crops ?? [], platform) }, textCheck),
          ...(await findFollowUpProblems(platformInfo, limits, followUps, (check, _text, i) =>
            find(check, followUpLength, [platform, instanceLimits, id], i),
          )),
          ...findOptionProblems(schema, body, options).map((detail): Problem => ({
            ...detail,
            level: "rejected",
          })),
          ...(post.assets.length > 0 && assets.length === 0 && !needsFiles(limits) ? [noFilesWarning] : []),
          ...findLinkWarning(limits, [body, ...followUps]),
          ...findMarkdown(body),
        ],
        ...describeTextLength(limits, textLimit, textCheck),
      };
      resultByKey.set(key, result);
    }
    views.push({ platform, connectionId: id, account: getAccountLabel(account), ...result, source: limits.sources[0] });
  }
  return views;
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

function findLinkWarning({ linkWarning }: PostLimits, texts: readonly string[]): Problem[] {
  if (linkWarning === undefined || !texts.some((text) => text.search(linkPattern) >= 0)) return [];
  return [{ level: "warning", code: "link_cost", message: linkWarning }];
}

/** None of the platforms formats Markdown. */
function findMarkdown(body: string): Problem[] {
  const forms = listMarkdownForms(body);
  if (forms.length === 0) return [];
  const message = `The platform shows Markdown as it is typed: ${forms.join(", ")}. Write plain text instead.`;
  return [{ level: "warning", code: "markdown", message }];
}

const needsFiles = ({ files, videos }: PostLimits): boolean => Boolean(files?.min ?? videos?.min);

function describeTextLength(
  limits: PostLimits,
  limit: TextLimit | undefined,
  { length }: TextCheck,
): Pick<ValidationView, "text"> {
  if (!limit || length === undefined) return {};
  const { max, unit, linkLength, countsMentionsWithoutServer } = limit;
  return {
    text: {
      length,
      max,
      unit,
      ...(linkLength === undefined ? {} : { linkLength }),
      ...(countsMentionsWithoutServer === undefined ? {} : { countsMentionsWithoutServer }),
      variesByInstance: limits.variesByInstance ?? false,
    },
  };
}

export function findProblems(
  limits: PostLimits,
  post: PostForAccount,
  textCheck = checkText(limits, post.body, findTextLimit("text", limits, post.assets)),
): Problem[] {
  const { title, assets, inspections, crops, hasFileChoice = false } = post;
  // The account's instance may have other limits than those we know.
  const level = limits.variesByInstance ? "warning" : "rejected";
  const limitProblems = [
    ...textCheck.problems,
    ...findLengthProblems("title", "The title", title, findTextLimit("title", limits, assets), limits),
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
