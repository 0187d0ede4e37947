import { AppError } from "#lib/errors.ts";
import type { PlatformFacts } from "./ports.ts";

/**
 * The origin of the instance that was named, in one spelling. Whether it may be reached is judged when it is, after
 * its name was looked up.
 */
export function readInstance({ perInstance, name }: PlatformFacts, typed: string | undefined): string {
  if (!perInstance) {
    if (typed === undefined) return "";
    throw new AppError("invalid_input:no_instances", { name });
  }
  const given = typed?.trim() ?? "";
  // A bare name, with or without a port, is what people type.
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(given) && !/^[^/]+:\d+$/.test(given) ? given : `https://${given}`);
  // The dot that ends a full domain name: the same host, and no other instance.
  if (url) url.hostname = url.hostname.replace(/\.$/, "");
  if (
    !url ||
    given === "" ||
    url.protocol !== "https:" ||
    url.username !== "" ||
    url.password !== "" ||
    url.hostname === ""
  ) {
    throw new AppError("invalid_input:instance_url");
  }
  return url.origin;
}
