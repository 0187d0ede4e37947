import { AppError } from "#lib/errors.ts";
import type { Deps } from "../deps.ts";
import type { PlatformFacts } from "./ports.ts";

/** The platform of this name, if it can be connected here. */
export function configuredPlatform({ platforms }: Pick<Deps, "platforms">, id: string): PlatformFacts {
  const facts = platforms.find(id);
  if (!facts) {
    const known = platforms.list().map((one) => one.id);
    throw new AppError(
      "platform_unsupported",
      "There is no such platform here.",
      `Choose one of: ${known.join(", ")} (list_platforms).`,
    );
  }
  if (facts.configured) return facts;
  throw new AppError("platform_not_configured", `${facts.name} is not set up on this server.`, settingsHint(facts));
}

export function settingsHint({ id, name }: Pick<PlatformFacts, "id" | "name">): string {
  const prefix = `PLATFORM_${id.toUpperCase()}_CLIENT`;
  return `The operator of this server has to register it at ${name} and set ${prefix}_ID and ${prefix}_SECRET (docs/platforms.md).`;
}
