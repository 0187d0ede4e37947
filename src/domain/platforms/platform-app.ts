import type { Deps } from "../ports/deps.ts";
import type { PlatformTarget } from "../model/connection.ts";
import type { PlatformApp } from "../ports/platforms.ts";
import type { PlatformInfo } from "../model/platform.ts";

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
