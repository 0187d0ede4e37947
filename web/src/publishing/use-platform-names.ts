import { useQuery } from "@tanstack/react-query";
import { platformsQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { getPlatformName } from "../platforms/platform-name.ts";

/** Returns a function that names a platform by its id. */
export function usePlatformNames(): (platform: string) => string {
  const { studio } = useStudio();
  const platforms = useQuery(platformsQuery(studio.id)).data?.platforms ?? [];
  return (platform) => platforms.find(({ id }) => id === platform)?.name ?? getPlatformName(platform);
}
