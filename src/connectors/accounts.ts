import type { Account } from "#domain/platforms/connection.ts";
import { PlatformError } from "#domain/platforms/platform-error.ts";
import type { PlatformTokens } from "#domain/platforms/ports.ts";
import { callApi } from "./call-api.ts";
import { toCallContext, type ConnectorContext } from "./oauth.ts";
import { maxAccounts, type PlatformAccount, type JsonObject } from "./platform.ts";

/** Whose tokens these are. */
export async function fetchAccounts(
  context: ConnectorContext,
  tokens: PlatformTokens,
): Promise<readonly { account: Account; tokens: PlatformTokens }[]> {
  const body = await callApi(context.publicFetch, context.platform.buildAccountCall(toCallContext(context, tokens)));
  const accounts = parseAccounts(context, body);
  if (accounts.length === 0) throw new PlatformError("denied", "no account was chosen");
  return accounts.slice(0, maxAccounts).map(({ accessToken, ...account }) => ({
    account: sanitizeAccount(account),
    // How long the person's token lives says nothing of a page's.
    tokens: accessToken === undefined ? tokens : { accessToken },
  }));
}

function parseAccounts({ platform }: ConnectorContext, body: JsonObject): readonly PlatformAccount[] {
  try {
    return platform.parseAccounts(body);
  } catch {
    throw new PlatformError("unreachable", "its answer cannot be understood");
  }
}

/** As we are ready to keep and show it: a platform's people choose these words themselves. */
function sanitizeAccount({ id, handle, name, pictureUrl, profileUrl }: PlatformAccount): Account {
  if (id.length > 300) throw new PlatformError("unreachable", "its answer cannot be understood");
  return {
    id: id.toWellFormed().replaceAll("\0", ""),
    handle: sanitizeText(handle),
    name: sanitizeText(name),
    pictureUrl: sanitizeUrl(pictureUrl),
    profileUrl: sanitizeUrl(profileUrl),
  };
}

function sanitizeText(text: string | undefined): string | null {
  const clean =
    text
      ?.toWellFormed()
      .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "")
      .trim()
      .slice(0, 200) ?? "";
  return clean === "" ? null : clean;
}

function sanitizeUrl(text: string | undefined): string | null {
  const url = text === undefined || text.length > 2000 ? null : URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}
