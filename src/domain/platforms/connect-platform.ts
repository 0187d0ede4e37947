import { z } from "zod";
import { minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { AppError } from "#lib/errors.ts";
import { isLoopbackName } from "#lib/ip-address.ts";
import { enforceRateLimit } from "../steps/rate-limit.ts";
import { getGrantId, type Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { text } from "../model/text.ts";
import { getOrRegisterApp } from "./connect-link.ts";
import { throwAsAppError } from "../model/platform-error.ts";
import { getConfiguredPlatform } from "../steps/configured-platform.ts";
import type { PlatformInfo } from "../model/platform.ts";

/**
 * Normalizes the instance URL to its origin. The check for private IP addresses runs later, when the server opens the
 * connection and has resolved the host name. It also rejects loopback hosts that the operator has not listed; here they
 * are accepted, even with plain http.
 */
function parseInstanceUrl({ hasInstances, defaultInstance, name }: PlatformInfo, input: string | undefined): string {
  if (!hasInstances) {
    if (input === undefined) return "";
    throw new AppError("invalid_input:no_instances", { name });
  }
  const enteredUrl = input?.trim() ?? "";
  const instanceUrl = enteredUrl === "" ? (defaultInstance ?? "") : enteredUrl;
  // Users often type a bare host, with or without a port.
  const url = URL.parse(
    /^[a-z][a-z0-9+.-]*:/i.test(instanceUrl) && !/^[^/]+:\d+$/.test(instanceUrl)
      ? instanceUrl
      : `https://${instanceUrl}`,
  );
  // A fully qualified name with a trailing dot is the same host.
  if (url) url.hostname = url.hostname.replace(/\.$/, "");
  if (
    !url ||
    instanceUrl === "" ||
    !(url.protocol === "https:" || (url.protocol === "http:" && isLoopbackName(url.hostname))) ||
    url.username !== "" ||
    url.password !== "" ||
    url.hostname === ""
  ) {
    throw new AppError("invalid_input:instance_url");
  }
  return url.origin;
}

export const connectPlatformInput = z.strictObject({
  platform: text(100).describe("Such as mastodon."),
  instanceUrl: text(2000)
    .optional()
    .describe("The account's instance. Required if needsInstanceUrl; otherwise it replaces defaultInstanceUrl."),
});

export const connectPlatformOutput = z.object({
  connectUrl: z
    .string()
    .describe("The page to give to the user. It works once, and only for this user, who must be signed in."),
  expiresInMinutes: z.number().int(),
});

/** How long the connect link is valid. */
const linkLifetimeMs = minutes(15);

/** Creates a link to the page where the user connects an account. The page checks the user's role again. */
export async function connectPlatform(
  deps: Pick<
    Deps,
    "platforms" | "platformStore" | "vault" | "rateLimits" | "transact" | "clock" | "newSecret" | "baseUrl"
  >,
  caller: Caller,
  input: z.infer<typeof connectPlatformInput>,
): Promise<z.infer<typeof connectPlatformOutput>> {
  authorize(caller, "platforms.connect");
  const platformInfo = getConfiguredPlatform(deps, input.platform);
  const target = { platform: platformInfo.id, instance: parseInstanceUrl(platformInfo, input.instanceUrl) };
  await enforceRateLimit(deps, "connect", caller.user.id);
  // Contact the instance now, so that the caller can still correct an invalid or unreachable URL.
  await getOrRegisterApp(deps, platformInfo, target).catch((error: unknown) =>
    throwAsAppError(error, platformInfo, "instance"),
  );
  const token = deps.newSecret();
  const link = {
    ...target,
    tokenHash: sha256(token),
    studioId: caller.studio.id,
    userId: caller.user.id,
    grantId: getGrantId(caller),
    client: caller.client ?? null,
    expiresAt: deps.clock() + linkLifetimeMs,
  };
  await deps.transact(caller, (tx) => tx.platformStore.insertConnectLink(link));
  return { connectUrl: `${deps.baseUrl}/connect/${token}`, expiresInMinutes: linkLifetimeMs / minutes(1) };
}
