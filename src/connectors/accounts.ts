import type { Account } from "#domain/platforms/connection.ts";
import { PlatformError } from "#domain/platforms/platform-error.ts";
import type { PlatformTokens } from "#domain/platforms/ports.ts";
import { callApi } from "./call-api.ts";
import { toCallContext, type ConnectorContext } from "./oauth.ts";
import { maxAccounts, type PlatformAccount, type JsonObject } from "./platform.ts";

/** Fetches the accounts that the tokens give access to. */
export async function fetchAccounts(
  context: ConnectorContext,
  tokens: PlatformTokens,
): Promise<readonly { account: Account; tokens: PlatformTokens }[]> {
  const body = await callApi(context.publicFetch, context.platform.buildAccountCall(toCallContext(context, tokens)));
  const accounts = parseAccounts(context, body);
  if (accounts.length === 0) throw new PlatformError("denied", "no account was selected");
  return accounts.slice(0, maxAccounts).map(({ accessToken, ...account }) => ({
    account: sanitizeAccount(account),
    // The expiry of the user's token does not apply to an account's own token.
    tokens: accessToken === undefined ? tokens : { accessToken },
  }));
}

function parseAccounts({ platform }: ConnectorContext, body: JsonObject): readonly PlatformAccount[] {
  try {
    return platform.parseAccounts(body);
  } catch {
    throw new PlatformError("unavailable", "it sent an invalid response");
  }
}

/** Makes the account safe to store and display. Users of the platform choose its handle, name and URLs. */
function sanitizeAccount({ id, handle, name, avatarUrl, profileUrl }: PlatformAccount): Account {
  if (id.length > 300) throw new PlatformError("unavailable", "it sent an invalid response");
  return {
    id: id.toWellFormed().replaceAll("\0", ""),
    handle: sanitizeText(handle),
    name: sanitizeText(name),
    avatarUrl: sanitizeUrl(avatarUrl),
    profileUrl: sanitizeUrl(profileUrl),
  };
}

function sanitizeText(text: string | undefined): string | null {
  const sanitizedText =
    text
      ?.toWellFormed()
      .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "")
      .trim()
      .slice(0, 200) ?? "";
  return sanitizedText === "" ? null : sanitizedText;
}

function sanitizeUrl(text: string | undefined): string | null {
  const url = text === undefined || text.length > 2000 ? null : URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}
