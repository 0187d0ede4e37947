import type { FailedOutcome, PublishRequest } from "#domain/publishing/ports.ts";
import type { CallOutcome, PublishCalls } from "./publish-calls.ts";

/** Looks up the accounts that the text mentions, by name. Undefined if the platform has no mentions. */
export async function resolveMentions(
  calls: PublishCalls,
  request: PublishRequest,
  signal: AbortSignal,
): Promise<CallOutcome<Record<string, string> | undefined>> {
  const { platform } = request.connection;
  const { mentions } = calls.getPublishing(platform);
  if (!mentions) return { value: undefined };
  const ids: Record<string, string> = {};
  for (const name of mentions.listNames(request.content)) {
    const call = mentions.buildCall(calls.createContext(request), name);
    const account = await calls.call(platform, call, mentions.parseId, { signal });
    if ("value" in account) ids[name] = account.value;
    else if (!isUnknownName(account)) return account;
  }
  return { value: ids };
}

const isUnknownName = ({ kind }: FailedOutcome): boolean => kind === "rejected";
