import { getRouteApi } from "@tanstack/react-router";
import { isAtStage } from "../api/post-stage.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { resolveLocalTime, toLocalTime } from "#portable/zoned-time.ts";
import { useNow } from "../ui/use-now.ts";

const route = getRouteApi("/studios/$studioId/posts/$postId");

/**
 * The time that the user chose on the calendar for the post, from the URL. Undefined if there is none, once the post is
 * scheduled, or when the time has passed.
 */
export function useIntendedTime({ publications = [] }: Post): string | undefined {
  const { at } = route.useSearch();
  const { timezone } = useStudio().studio;
  const hasPassed = useNow((now) => at !== undefined && at <= toLocalTime(now, timezone));
  if (at === undefined || hasPassed || resolveLocalTime(at, timezone).kind !== "valid") return undefined;
  return isAtStage(publications, "editing") ? at : undefined;
}
