import { minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { AppError } from "#lib/errors.ts";
import type { Caller, SignedInUser } from "../caller.ts";
import type { PlatformTarget } from "../model/connection.ts";
import { throwAsAppError } from "../model/platform-error.ts";
import type { PlatformInfo } from "../model/platform.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import type { ConnectLink, PlatformApp, SealedPendingConnect } from "../ports/platforms.ts";
import { getConfiguredPlatform } from "../steps/configured-platform.ts";
import { resolveStudioCaller } from "../steps/resolve-studio-caller.ts";

type AppDeps = Pick<Deps, "platforms" | "platformStore" | "vault" | "clock">;

/**
 * Returns our app at a platform instance, registering it on first use. Undefined for platforms without instances, whose
 * app is configured in the settings.
 */
export async function getOrRegisterApp(
  deps: AppDeps,
  platformInfo: PlatformInfo,
  target: PlatformTarget,
): Promise<PlatformApp | undefined> {
  if (!platformInfo.hasInstances) return undefined;
  const registeredApp = await findApp(deps, target);
  if (registeredApp) return registeredApp;
  const app = await deps.platforms.registerApp(target);
  const credential = deps.vault.seal("platform-app", toVaultContext(target), JSON.stringify(app));
  const redirectUri = deps.platforms.getRedirectUri(target);
  await deps.platformStore.insertApp({ ...target, redirectUri, credential }, deps.clock());
  return (await findApp(deps, target)) ?? app;
}

async function findApp(deps: AppDeps, target: PlatformTarget): Promise<PlatformApp | undefined> {
  const storedApp = await deps.platformStore.findApp(target, deps.platforms.getRedirectUri(target));
  if (!storedApp) return undefined;
  try {
    return JSON.parse(deps.vault.open("platform-app", toVaultContext(target), storedApp.credential)) as PlatformApp;
  } catch {
    // Sealed with a retired secret. Delete it, so that the app is registered again.
    await deps.platformStore.deleteApp(target, storedApp.credential);
    return undefined;
  }
}

const toVaultContext = ({ platform, instance }: PlatformTarget): string[] => [platform, instance];

/** How long a user may stay on the platform's consent page. */
const stateLifetimeMs = minutes(10);

type ConnectDeps = Pick<Deps, "platforms" | "platformStore" | "vault" | "memberships" | "clock">;

interface AuthorizedLink {
  link: ConnectLink;
  platformInfo: PlatformInfo;
  caller: Caller;
}

/** Finds the connect link with this token and checks that the user may use it. */
export async function openConnectLink(
  deps: ConnectDeps,
  signedInUser: SignedInUser,
  { token }: { token: string },
): Promise<AuthorizedLink> {
  const link = await deps.platformStore.findConnectLink({ tokenHash: sha256(token) }, deps.clock());
  if (!link) throw new AppError("connect_expired:page");
  return authorizeConnectLink(deps, signedInUser, link);
}

/** Repeats the checks of the link's creation, because roles may have changed and another user may open the link. */
export async function authorizeConnectLink(
  deps: ConnectDeps,
  signedInUser: SignedInUser,
  link: ConnectLink,
): Promise<AuthorizedLink> {
  if (link.userId !== signedInUser.user.id) {
    throw new AppError("forbidden:connect_page");
  }
  const caller = await resolveStudioCaller(deps, signedInUser, link.studioId);
  authorize(caller, "platforms.connect");
  const client = link.client ? { client: link.client } : {};
  return { link, platformInfo: getConfiguredPlatform(deps, link.platform), caller: { ...caller, ...client } };
}

/** Returns the platform's authorization URL, with the state and PKCE verifier that only this browser stores. */
export async function startConnect(
  deps: ConnectDeps,
  signedInUser: SignedInUser,
  input: { token: string },
): Promise<{ location: string } & SealedPendingConnect> {
  const { link, platformInfo } = await openConnectLink(deps, signedInUser, input);
  const authorization = await getOrRegisterApp(deps, platformInfo, link)
    .then((app) => deps.platforms.startAuthorization(link, app))
    .catch((error: unknown) => throwAsAppError(error, platformInfo));
  const now = deps.clock();
  const { state, tokenKey } = authorization;
  // A new attempt replaces the state of the previous one, so that users can go back and start again.
  if (!(await deps.platformStore.startConnectLink(link.tokenHash, sha256(state), now, now + stateLifetimeMs)))
    throw new AppError("connect_expired:page");
  // The browser stores the key that the platform's tokens will be bound to until the callback, so it is encrypted.
  return { ...authorization, tokenKey: tokenKey && deps.vault.seal("platform-connect", [state], tokenKey) };
}

export function unsealTokenKey(
  { vault }: Pick<Deps, "vault">,
  { state, tokenKey: sealedKey }: SealedPendingConnect,
): string | undefined {
  if (sealedKey === undefined) return undefined;
  try {
    return vault.open("platform-connect", [state], sealedKey);
  } catch {
    // Sealed with a retired secret.
    throw new AppError("connect_expired:page");
  }
}
