import { randomBytes } from "node:crypto";
import { domainToASCII } from "node:url";

/**
 * How X counts characters and finds URLs.
 *
 * Sources, read on 2026-11-16: https://docs.x.com/fundamentals/counting-characters and, for weights and URLs,
 * https://github.com/twitter/twitter-text (config/v3.json, README, conformance/validate.yml). twitter-text has the
 * complete list of top-level domains; this module knows the common ones and the country codes.
 */
export interface FoundUrl {
  start: number;
  end: number;
  url: string;
}

export const maxWeightedLength = 280;
const urlLength = 23;
const maxLabelLength = 63;

/** Code points with weight 1; all others have weight 2. */
const lightRanges = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
] as const;

const genericDomains =
  "academy|agency|app|art|arpa|biz|blog|build|business|cafe|camera|capital|care|center|city|cloud|club|codes|coffee|com|community|company|consulting|coop|cool|deals|design|dev|digital|directory|edu|education|email|energy|events|expert|fashion|finance|fm|foundation|fun|fund|gallery|games|gmbh|gov|group|guide|guru|health|help|host|house|inc|info|ink|int|jobs|kitchen|land|legal|life|link|live|llc|ltd|management|market|marketing|media|mil|mobi|money|museum|name|net|network|news|ngo|ninja|one|ong|online|org|page|photo|photography|photos|pics|plus|press|pro|productions|pub|rocks|run|sale|school|science|services|sh|shop|show|site|social|software|solutions|space|store|studio|style|support|systems|team|tech|technology|today|tools|top|tours|town|toys|training|travel|university|vip|video|website|wiki|work|works|world|xxx|xyz|yoga|zone";
const otherCountryDomains = ["ac", "eu", "su", "uk"];
const regionNames = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

function isTopLevelDomain(name: string): boolean {
  const domain = name.toLowerCase();
  const isInternational = domain.startsWith("xn--") || /^[^\x00-\x7F]+$/.test(domain);
  if (isInternational || genericDomains.split("|").includes(domain)) return true;
  if (!/^[a-z]{2}$/.test(domain)) return false;
  return otherCountryDomains.includes(domain) || regionNames.of(domain.toUpperCase()) !== undefined;
}

const pathLetter = String.raw`a-z0-9\u0400-\u04FF\u00C0-\u024F\u1E00-\u1EFF`;
const pathCharacter = String.raw`[${pathLetter}!*';:=+,.$/%#\[\]\-\u2013_~@|&]`;
const parenthesized = String.raw`\(${pathCharacter}+\)`;
const path = String.raw`\/(?:(?:${pathCharacter}|${parenthesized})*(?:[${pathLetter}+\-=_#/]|${parenthesized}))?`;
const query = String.raw`\?[a-z0-9!?*'@();:&=+$/%#\[\]\-_.,~|]*[a-z0-9\-_&=#/]`;
const label = String.raw`[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?`;
const topLevelDomain = String.raw`[a-z]{2,}|xn--[-0-9a-z]+|(?:(?![\x00-\x7F])[\p{L}\p{M}])+`;
const urlPattern = new RegExp(
  String.raw`(?<![a-z0-9@＠$#＃])(https?:\/\/)?((?:${label}\.)+(?:${topLevelDomain}))(?![0-9a-z@+-])(?::\d+)?(?:${path})?(?:${query})?`,
  "giu",
);
const latinDomain = /(?:[-a-z0-9\u00C0-\u024F]+\.)+[a-z]{2,}$/i;

/** Finds the URLs that X shortens, including those without a protocol. The text must be in normalization form C. */
export function findUrls(text: string): FoundUrl[] {
  return [...text.matchAll(urlPattern)].flatMap((match) => {
    const [url, protocol, domain = ""] = match;
    const labels = domain.split(".");
    if (!isTopLevelDomain(labels.at(-1)!)) return [];
    if (labels.some((name) => (domainToASCII(name) || name).length > maxLabelLength)) return [];
    // Without a protocol, only the Latin end of a domain counts.
    const skipped = protocol === undefined ? latinDomain.exec(domain)?.index : 0;
    if (skipped === undefined) return [];
    // A domain without a protocol does not count directly after one of these characters.
    if (protocol === undefined && /[-_./]$/.test(text.slice(0, match.index))) return [];
    return [{ start: match.index + skipped, end: match.index + url.length, url: url.slice(skipped) }];
  });
}

/** Includes keycaps without the variation selector, which are not in the recommended set of Unicode. */
const emoji = /\p{RGI_Emoji}|[0-9#*]\u20E3/gv;

/** The length of a post: URLs count 23, emoji 2, other characters 1 or 2. */
export function weighText(input: string): number {
  const text = input.normalize("NFC");
  let length = 0;
  let offset = 0;
  for (const { start, end } of findUrls(text)) {
    length += weighCharacters(text.slice(offset, start)) + urlLength;
    offset = end;
  }
  return length + weighCharacters(text.slice(offset));
}

function weighCharacters(text: string): number {
  const emojiCount = text.match(emoji)?.length ?? 0;
  const weights = Array.from(text.replaceAll(emoji, ""), (character) => {
    const codePoint = character.codePointAt(0)!;
    return lightRanges.some(([start, end]) => codePoint >= start && codePoint <= end) ? 1 : 2;
  });
  return weights.reduce<number>((sum, weight) => sum + weight, emojiCount * 2);
}

/** twitter-text: texts with these code points are invalid. */
export const hasInvalidCharacters = (text: string): boolean => /[\uFFFE\uFEFF\uFFFF]/.test(text);

export const countCashtags = (text: string): number =>
  text.match(/(?<![\p{L}\p{N}$])\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?![\p{L}\p{N}])/giu)?.length ?? 0;

export interface UrlEntity {
  url: string;
  expanded_url: string;
}

/** Replaces URLs with t.co links, as X does in everything that it returns. */
export function shortenUrls(text: string): { text: string; urls: UrlEntity[] } {
  const urls: UrlEntity[] = [];
  let shortened = "";
  let offset = 0;
  for (const { start, end, url } of findUrls(text)) {
    const entity = { url: createShortUrl(), expanded_url: /^https?:/i.test(url) ? url : `http://${url}` };
    urls.push(entity);
    shortened += text.slice(offset, start) + entity.url;
    offset = end;
  }
  return { text: shortened + text.slice(offset), urls };
}

export const createShortUrl = (): string => `https://t.co/${randomBytes(5).toString("hex")}`;

/** X returns these characters as HTML entities (an example in X's data dictionary has "understand &amp; respond"). */
export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
