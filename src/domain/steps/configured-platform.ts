import { AppError } from "#lib/errors.ts";
import type { PlatformInfo } from "../model/platform.ts";
import type { Deps } from "../ports/deps.ts";

/** Returns the platform with this id; throws if it is unsupported or not configured. */
export function getConfiguredPlatform({ platforms }: Pick<Deps, "platforms">, id: string): PlatformInfo {
  const platformInfo = platforms.find(id);
  if (!platformInfo) {
    const supportedIds = platforms.list().map((platform) => platform.id);
    throw new AppError("platform_unsupported", { platforms: supportedIds });
  }
  if (platformInfo.isConfigured) return platformInfo;
  throw new AppError("platform_not_configured", { name: platformInfo.name, id: platformInfo.id });
}

export function getSettingsHint({ id, name }: Pick<PlatformInfo, "id" | "name">): string {
  const prefix = `PLATFORM_${id.toUpperCase()}_CLIENT`;
  return `The operator must register this server with ${name} and set ${prefix}_ID and ${prefix}_SECRET (see docs/platforms.md).`;
}
