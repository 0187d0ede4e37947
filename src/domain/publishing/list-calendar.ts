import { z } from "zod";
import { days, toIsoTime } from "#lib/clock.ts";
import type { Caller } from "../caller.ts";
import type { SummaryAssetView, SummaryPublicationView } from "../model/post-summary.ts";
import type { Post } from "../model/post.ts";
import { splitQuery } from "../model/search/fold.ts";
import { isoTime, tagFilter, text } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { CalendarEntry } from "../ports/post-summaries.ts";
import type { Deps } from "../ports/deps.ts";
import { searchBudget } from "../steps/search.ts";
import { toSummaryAssetView, toSummaryPublicationView } from "../steps/describe-post.ts";
import { type FreeSlot, listStudioFreeSlots } from "./slots.ts";

/** Longer than the calendar needs: a month, with its first and last week complete, has at most 42 days. */
const maxRange = days(62);
const maxEntries = 1000;
/** How many posts a search reads at a time. A post has at most about 1 MB. */
const postsPerRead = 20;

export const listCalendarInput = z
  .strictObject({
    from: isoTime,
    to: isoTime,
    tag: tagFilter,
    query: text(200).optional(),
    author: text(100).optional(),
    includeSlots: z.boolean().optional(),
  })
  .refine(
    ({ from, to }) => {
      const range = Date.parse(to) - Date.parse(from);
      return range >= 0 && range <= maxRange;
    },
    { error: "at most 62 days after `from`", path: ["to"] },
  );

interface CalendarEntryView extends SummaryPublicationView {
  at: string;
  isSuperseded: boolean;
  post: Pick<Post, "id" | "title" | "status"> & { thumbnail: SummaryAssetView | null };
}

interface Calendar {
  entries: CalendarEntryView[];
  /** Whether publications may be missing, because the range has too many or the search ran out of time. */
  isTruncated: boolean;
  /** The free slots of the range. No filter applies to them. */
  freeSlots?: FreeSlot[];
}

/** Lists the publications between two times, for the calendar. `query` and `tag` filter them by their posts. */
export async function listCalendar(
  deps: Pick<Deps, "calendar" | "posts" | "searchQueue" | "signer" | "baseUrl"> &
    Parameters<typeof listStudioFreeSlots>[0],
  caller: Caller,
  input: z.infer<typeof listCalendarInput>,
): Promise<Calendar> {
  authorize(caller, "posts.read");
  authorize(caller, "publications.read");
  const filter = { from: Date.parse(input.from), to: Date.parse(input.to), createdBy: input.author };
  const entries = await deps.calendar.list(caller.studio.id, { ...filter, limit: maxEntries + 1 });
  const matches = await findMatches(deps, caller, entries.slice(0, maxEntries), input);
  return {
    entries: matches.entries.map(({ at, isSuperseded, post, ...publication }) => {
      const [asset] = post.assets;
      return {
        ...toSummaryPublicationView(publication),
        at: toIsoTime(at),
        isSuperseded,
        post: {
          id: post.id,
          title: post.title,
          status: post.status,
          thumbnail: asset ? toSummaryAssetView(deps, post.studioId, asset) : null,
        },
      };
    }),
    isTruncated: entries.length > maxEntries || matches.isTruncated,
    ...(input.includeSlots === true ? { freeSlots: await listStudioFreeSlots(deps, caller.studio.id, filter) } : {}),
  };
}

/** Returns the entries whose posts match the search. Stops when the time budget of a search is used up. */
async function findMatches(
  deps: Pick<Deps, "posts" | "searchQueue" | "clock">,
  caller: Caller,
  entries: readonly CalendarEntry[],
  { query = "", tag }: Pick<z.infer<typeof listCalendarInput>, "query" | "tag">,
): Promise<{ entries: readonly CalendarEntry[]; isTruncated: boolean }> {
  const terms = { words: splitQuery(query), tag };
  if (terms.words.length === 0 && tag === undefined) return { entries, isTruncated: false };
  return deps.searchQueue.run(caller.user.id, async () => {
    const deadline = deps.clock() + searchBudget.ms;
    const postIds = [...new Set(entries.map(({ post }) => post.id))];
    const matchingIds = new Set<string>();
    let comparedCount = 0;
    while (comparedCount < postIds.length && deps.clock() < deadline) {
      const ids = postIds.slice(comparedCount, comparedCount + postsPerRead);
      // The queue pauses after each read, depending on its bytes and its duration. The bytes are unknown here, so only
      // the duration counts.
      const { posts } = await deps.searchQueue.read(async () => ({
        posts: await deps.posts.search.findMatches(caller.studio.id, ids, {}, terms),
        bytes: 0,
      }));
      for (const { id } of posts) matchingIds.add(id);
      comparedCount += ids.length;
    }
    return {
      entries: entries.filter(({ post }) => matchingIds.has(post.id)),
      isTruncated: comparedCount < postIds.length,
    };
  });
}
