import { isLoopbackName, isPublicAddress, parseIpAddress } from "#lib/ip-address.ts";
import type { AssetKind } from "../asset-kinds.ts";
import type { PlatformInfo } from "../platform.ts";

/** Names that only resolve inside a network (RFC 6761, RFC 6762, RFC 8375, and `internal`). */
const privateSuffixes = ["localhost", "local", "internal", "test", "invalid", "home.arpa"] as const;

/** Whether a URL looks public: https with a public IP address or host name. Does not resolve the name. */
export function isPublicUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (protocol !== "https:" || isLoopbackName(name)) return false;
  if (parseIpAddress(name)) return isPublicAddress(name);
  return name.includes(".") && !privateSuffixes.some((suffix) => name.endsWith(`.${suffix}`));
}

const mediaLabels = { all: "images and videos", images: "images", videos: "videos" } as const;

/** Returns a warning if the platform fetches media from this server but can't reach it. */
export function findMediaWarning(
  base: string,
  { name, fetchedMedia }: Pick<PlatformInfo, "name" | "fetchedMedia">,
): string | undefined {
  if (fetchedMedia === undefined || isPublicUrl(base)) return undefined;
  const media = mediaLabels[fetchedMedia];
  return `${name} fetches ${media} from this server, which has no public URL (BASE_URL is ${base}). Posts with ${media} can’t be published to ${name}.`;
}

/** Returns a problem if the platform would have to fetch a file of the post from this server but can't reach it. */
export function findMediaProblems(
  { name, unreachableMedia }: Pick<PlatformInfo, "name" | "unreachableMedia">,
  assets: readonly { kind: AssetKind }[],
): { level: "rejected"; code: string; message: string }[] {
  const isAffected = assets.some(({ kind }) => unreachableMedia === "all" || unreachableMedia === `${kind}s`);
  if (unreachableMedia === undefined || !isAffected) return [];
  const media = mediaLabels[unreachableMedia];
  const message = `${name} fetches ${media} from this server, which has no public URL. Ask the person who runs this server to give it one.`;
  return [{ level: "rejected", code: "media_unreachable", message }];
}
