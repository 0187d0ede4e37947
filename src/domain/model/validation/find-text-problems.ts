import { countText, type TextLimit } from "#portable/count-text.ts";
import { countHashtags, countMentions } from "#portable/hashtags-and-mentions.ts";
import type { PostLimits } from "../platform-limits.ts";

interface TextProblem {
  code: string;
  message: string;
}

/** The length of a text as the platform counts it, if it has a limit, and why the platform would reject the text. */
export interface TextCheck {
  length: number | undefined;
  problems: readonly TextProblem[];
}

export function checkText(limits: PostLimits, text: string, limit: TextLimit | undefined): TextCheck {
  const length = limit && countText(text, limit);
  const lengthProblems = findLengthProblems("text", "The text", text, limit, limits, length);
  return { length, problems: [...lengthProblems, ...findHashtagAndMentionProblems(limits, text)] };
}

/** Why a platform would, or if its limits vary might, reject the length of a text or title. */
export function findLengthProblems(
  codePrefix: string,
  label: string,
  text: string,
  limit: TextLimit | undefined,
  { variesByInstance = false }: Pick<PostLimits, "variesByInstance">,
  length = limit && countText(text, limit),
): TextProblem[] {
  if (!limit || length === undefined) return [];
  if (limit.isRequired && text.trim() === "")
    return [{ code: `${codePrefix}_missing`, message: `${label} is empty; the platform requires it.` }];
  const forbidden = Array.from(limit.forbidden ?? "").filter((character) => text.includes(character));
  if (forbidden.length > 0) {
    const message = `${label} has ${forbidden.join(" and ")}, which the platform rejects. Remove it.`;
    return [{ code: `${codePrefix}_invalid`, message }];
  }
  const bytes = Buffer.byteLength(text);
  if (length <= limit.max && limit.maxBytes !== undefined && bytes > limit.maxBytes)
    return [
      {
        code: `${codePrefix}_too_long`,
        message: `${label} has ${formatCount(bytes)} bytes in UTF-8; ${describeMax(limit.maxBytes, variesByInstance)}.`,
      },
    ];
  if (length <= limit.max) return [];
  // Some platforms count links, emoji or mentions differently, so that people who count get another number.
  const isPlainCount = length === countText(text, { unit: "codePoints", max: limit.max });
  return [
    {
      code: `${codePrefix}_too_long`,
      message: isPlainCount
        ? `${label} has ${formatCount(length)} characters; ${describeMax(limit.max, variesByInstance)}.`
        : `${label} counts as ${formatCount(length)} characters on this platform${variesByInstance ? `; ${describeMax(limit.max, true)}` : `, which allows up to ${formatCount(limit.max)}`}.`,
    },
  ];
}

/** As in the editor: 2,674. */
export const formatCount = (count: number): string => count.toLocaleString("en");

/** The limit, and what exceeding it means if the account's server may have another one. */
export const describeMax = (max: number, variesByInstance: boolean): string =>
  variesByInstance
    ? `most servers allow up to ${formatCount(max)}, so this account’s server may reject the post`
    : `the platform allows up to ${formatCount(max)}`;

function findHashtagAndMentionProblems({ hashtagsAndMentions: limit }: PostLimits, text: string): TextProblem[] {
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
