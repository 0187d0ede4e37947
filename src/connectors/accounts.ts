import type { Account } from "#domain/model/connection.ts";
import { PlatformError } from "#domain/model/platform-error.ts";
import type { PlatformTokens } from "#domain/ports/platforms.ts";
import { callApi, requireId, toUrl } from "./call-api.ts";
import { toCallContext, type ConnectorContext } from "./oauth.ts";
import { toTokens } from "./token-response.ts";
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
    tokens: accessToken === undefined ? tokens : toTokens({ access_token: accessToken }),
  }));
}

function parseAccounts({ platform }: ConnectorContext, body: JsonObject): readonly PlatformAccount[] {
  try {
    return platform.parseAccounts(body).map((account) => ({ ...account, id: requireId(account.id) }));
  } catch {
    throw new PlatformError("unavailable", "it sent an invalid response");
  }
}

/** Makes the account safe to store and display. Users of the platform choose its handle, name and URLs. */
function sanitizeAccount({ id, handle, name, avatarUrl, profileUrl }: PlatformAccount): Account {
  return {
    id,
    handle: sanitizeText(handle),
    name: sanitizeText(name),
    avatarUrl: toUrl(avatarUrl),
    profileUrl: toUrl(profileUrl),
  };
}

function sanitizeText(text: string | undefined): string | null {
  const sanitizedText =
    text
      ?.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "")
      .trim()
      .slice(0, 200)
      // Last, because the slice may end within a surrogate pair.
      .toWellFormed() ?? "";
  return sanitizedText === "" ? null : sanitizedText;
}
