import { AppError } from "#lib/errors.ts";
import type { PlatformInfo } from "./ports.ts";

/**
 * The origin of the instance that was named, in one spelling. Whether it may be reached is judged when it is, after
 * its name was looked up.
 */
export function parseInstanceUrl({ hasInstances, name }: PlatformInfo, input: string | undefined): string {
  if (!hasInstances) {
    if (input === undefined) return "";
    throw new AppError("invalid_input:no_instances", { name });
  }
  const trimmed = input?.trim() ?? "";
  // A bare name, with or without a port, is what people type.
  const url = URL.parse(
    /^[a-z][a-z0-9+.-]*:/i.test(trimmed) && !/^[^/]+:\d+$/.test(trimmed) ? trimmed : `https://${trimmed}`,
  );
  // The dot that ends a full domain name: the same host, and no other instance.
  if (url) url.hostname = url.hostname.replace(/\.$/, "");
  if (
    !url ||
    trimmed === "" ||
    url.protocol !== "https:" ||
    url.username !== "" ||
    url.password !== "" ||
    url.hostname === ""
  ) {
    throw new AppError("invalid_input:instance_url");
  }
  return url.origin;
}
