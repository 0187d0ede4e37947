import type { Account } from "#domain/platforms/connection.ts";
import { PlatformFailure } from "#domain/platforms/failure.ts";
import type { PlatformTokens } from "#domain/platforms/ports.ts";
import { callApi } from "./call.ts";
import { held, type Site } from "./oauth.ts";
import type { FoundAccount, JsonObject } from "./platform.ts";

/** One person does not have more; an answer with more is not about a person. */
const mostAccounts = 50;

/** Whose tokens these are. */
export async function findAccounts(
  site: Site,
  tokens: PlatformTokens,
): Promise<readonly { account: Account; tokens: PlatformTokens }[]> {
  const answer = await callApi(site.reach, site.platform.account(held(site, tokens)));
  const found = read(site, answer);
  if (found.length === 0) throw new PlatformFailure("denied", "no account was chosen");
  return found.slice(0, mostAccounts).map(({ accessToken, ...account }) => ({
    account: tidy(account),
    // How long the person's token lives says nothing of a page's.
    tokens: accessToken === undefined ? tokens : { accessToken },
  }));
}

function read({ platform }: Site, answer: JsonObject): readonly FoundAccount[] {
  try {
    return platform.readAccounts(answer);
  } catch {
    throw new PlatformFailure("unreachable", "its answer cannot be understood");
  }
}

/** As we are ready to keep and show it: a platform's people choose these words themselves. */
function tidy({ id, handle, name, pictureUrl, profileUrl }: FoundAccount): Account {
  if (id.length > 300) throw new PlatformFailure("unreachable", "its answer cannot be understood");
  return {
    id: id.toWellFormed().replaceAll("\0", ""),
    handle: shown(handle),
    name: shown(name),
    pictureUrl: address(pictureUrl),
    profileUrl: address(profileUrl),
  };
}

function shown(text: string | undefined): string | null {
  const clean =
    text
      ?.toWellFormed()
      .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "")
      .trim()
      .slice(0, 200) ?? "";
  return clean === "" ? null : clean;
}

function address(text: string | undefined): string | null {
  const url = text === undefined || text.length > 2000 ? null : URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}
