import { getRouteApi } from "@tanstack/react-router";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { openStates } from "../publishing/state-labels.ts";
import { resolveLocalTime, toLocalTime } from "../publishing/zoned-time.ts";

const route = getRouteApi("/studios/$studioId/posts/$postId");

/**
 * The time that the post was created for on the calendar; undefined if there is no such time, once the post is scheduled,
 * or when the time has passed.
 */
export function usePlannedTime({ publications = [] }: Post): string | undefined {
  const { at } = route.useSearch();
  const { timezone } = useStudio().studio;
  if (at === undefined || resolveLocalTime(at, timezone).kind !== "valid") return undefined;
  if (at <= toLocalTime(Date.now(), timezone)) return undefined;
  const isPublishedOrPlanned = publications.some(({ state }) => openStates.includes(state) || state === "published");
  return isPublishedOrPlanned ? undefined : at;
}
