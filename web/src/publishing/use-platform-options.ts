import { useQuery } from "@tanstack/react-query";
import type { PostOption } from "#portable/post-options.ts";
import { platformsQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";

/** The options that a platform declares, and whether posts can have follow-ups there. */
export function usePlatformOptions(platform: string): { schema: readonly PostOption[]; canReply: boolean } {
  const { studio } = useStudio();
  const { data } = useQuery(platformsQuery(studio.id));
  const info = data?.platforms.find(({ id }) => id === platform);
  return { schema: (info?.options ?? []) as unknown as PostOption[], canReply: info?.canReply === true };
}
