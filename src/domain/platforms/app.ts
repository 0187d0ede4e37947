import type { Deps } from "../deps.ts";
import type { PlatformPlace } from "./connection.ts";
import type { PlatformApp, PlatformFacts } from "./ports.ts";

type Needs = Pick<Deps, "platforms" | "platformStore" | "vault" | "clock">;

/** Ourselves at an instance: registered there the first time, then kept. Undefined where settings say who we are. */
export async function ourApp(
  deps: Needs,
  facts: PlatformFacts,
  place: PlatformPlace,
): Promise<PlatformApp | undefined> {
  if (!facts.perInstance) return undefined;
  const known = await findApp(deps, place);
  if (known) return known;
  const app = await deps.platforms.register(place);
  const credential = deps.vault.seal("platform-app", placeOf(place), JSON.stringify(app));
  const redirectUri = deps.platforms.redirectUri(place);
  await deps.platformStore.insertApp({ ...place, redirectUri, credential }, deps.clock());
  return (await findApp(deps, place)) ?? app;
}

async function findApp(deps: Needs, place: PlatformPlace): Promise<PlatformApp | undefined> {
  const found = await deps.platformStore.findApp(place, deps.platforms.redirectUri(place));
  return found && (JSON.parse(deps.vault.open("platform-app", placeOf(place), found.credential)) as PlatformApp);
}

const placeOf = ({ platform, instance }: PlatformPlace): string[] => [platform, instance];
