import type { FailedOutcome } from "#domain/ports/publisher.ts";
import { toObject, toText } from "../call-api.ts";
import type { ErrorResponse } from "../publishing/publish-module.ts";

const tomorrow = "TikTok accepts no more posts from this account today. Publish again tomorrow.";
const rejections: Readonly<Record<string, string>> = {
  spam_risk_too_many_posts: tomorrow,
  spam_risk_too_many_pending_share:
    "The account has five drafts in TikTok’s app. Finish or discard them, then publish again.",
  reached_active_user_cap: "The app of this server has reached TikTok’s daily limit of users. Publish again tomorrow.",
  unaudited_client_can_only_post_to_private_accounts:
    "TikTok has not audited this server’s app, which can only post to private accounts, for “Only you”. Send a draft instead.",
  privacy_level_option_mismatch: "The account does not offer the chosen visibility. Choose another one.",
  url_ownership_unverified:
    "TikTok does not know that the files belong to this server. Ask the person who runs it to verify its URL at TikTok.",
  auth_removed: "The account has removed this server’s app. Connect the account again.",
};

export const describeFailure = (code: string): string =>
  rejections[code] ?? `TikTok could not publish the post (${code}). Change the files or publish again.`;

/** TikTok names the reason of an error in its body. */
export function classifyError({ status, body }: ErrorResponse): FailedOutcome | undefined {
  const code = toText(toObject(body["error"])["code"]) ?? "";
  const isFinal = status >= 400 && status < 500 && (code in rejections || code.startsWith("spam_risk"));
  return isFinal ? { kind: "rejected", code, message: describeFailure(code) } : undefined;
}
