import { AppError } from "#lib/errors.ts";
import type { Deps } from "../deps.ts";
import type { PlatformFacts } from "./ports.ts";

/** The platform of this name, if it can be connected here. */
export function configuredPlatform({ platforms }: Pick<Deps, "platforms">, id: string): PlatformFacts {
  const facts = platforms.find(id);
  if (!facts) {
    const known = platforms.list().map((one) => one.id);
    throw new AppError("platform_unsupported", { platforms: known });
  }
  if (facts.configured) return facts;
  throw new AppError("platform_not_configured", { name: facts.name, id: facts.id });
}

export function settingsHint({ id, name }: Pick<PlatformFacts, "id" | "name">): string {
  const prefix = `PLATFORM_${id.toUpperCase()}_CLIENT`;
  return `The operator of this server has to register it at ${name} and set ${prefix}_ID and ${prefix}_SECRET (docs/platforms.md).`;
}
