import type { Deps } from "../deps.ts";
import type { PlatformTarget } from "./connection.ts";
import type { PlatformApp, PlatformInfo } from "./ports.ts";

type Needs = Pick<Deps, "platforms" | "platformStore" | "vault" | "clock">;

/** Ourselves at an instance: registered there the first time, then kept. Undefined where settings say who we are. */
export async function getOrRegisterApp(
  deps: Needs,
  platformInfo: PlatformInfo,
  target: PlatformTarget,
): Promise<PlatformApp | undefined> {
  if (!platformInfo.hasInstances) return undefined;
  const registeredApp = await findApp(deps, target);
  if (registeredApp) return registeredApp;
  const app = await deps.platforms.registerApp(target);
  const credential = deps.vault.seal("platform-app", toVaultContext(target), JSON.stringify(app));
  const redirectUri = deps.platforms.redirectUri(target);
  await deps.platformStore.insertApp({ ...target, redirectUri, credential }, deps.clock());
  return (await findApp(deps, target)) ?? app;
}

async function findApp(deps: Needs, target: PlatformTarget): Promise<PlatformApp | undefined> {
  const storedApp = await deps.platformStore.findApp(target, deps.platforms.redirectUri(target));
  if (!storedApp) return undefined;
  try {
    return JSON.parse(deps.vault.open("platform-app", toVaultContext(target), storedApp.credential)) as PlatformApp;
  } catch {
    // Sealed under a secret that was retired: as good as none, and registering again costs nothing.
    await deps.platformStore.deleteApp(target, storedApp.credential);
    return undefined;
  }
}

const toVaultContext = ({ platform, instance }: PlatformTarget): string[] => [platform, instance];
