import { useParams } from "@tanstack/react-router";
import { assetsQuery } from "../api/queries.ts";
import { postSummariesQuery } from "../api/summary-queries.ts";
import { usePagedList, type ListQuery } from "../api/use-paged-list.ts";
import { countTags } from "./count-tags.ts";

interface KnownPostTags {
  /** Most frequent first. */
  tags: readonly string[];
  query: ListQuery<unknown>["query"];
}

/** Tags need no live updates, so a list that another page loaded is recent enough. */
const options = { staleTime: 60_000 };

/** The tags of the newest posts. */
export function useKnownPostTags(studioId: string): KnownPostTags {
  const { items, query } = usePagedList({ ...postSummariesQuery(studioId, {}), ...options });
  return { tags: [...countTags(items).keys()], query };
}

/** The tags of the newest posts and files. Loads them only if `isEnabled`; empty outside a studio. */
export function useKnownTags(isEnabled: boolean): readonly string[] {
  const { studioId = "" } = useParams({ strict: false });
  const enabled = isEnabled && studioId !== "";
  const posts = usePagedList({ ...postSummariesQuery(studioId, {}), ...options, enabled });
  const assets = usePagedList({ ...assetsQuery(studioId, {}), ...options, enabled });
  return enabled ? [...countTags([...posts.items, ...assets.items]).keys()] : [];
}
