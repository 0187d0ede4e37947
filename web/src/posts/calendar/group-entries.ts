import type { CalendarEntry } from "../../api/summary-queries.ts";
import { canReschedule, changeableStates } from "../../publishing/publication-states.ts";
import { toLocalTime } from "#portable/zoned-time.ts";

/** The publications of a post with the same minute and state, and the same actions: one card of the calendar. */
export interface EntryGroup {
  /** The id of the group's first publication, which stays the same when the time changes. */
  id: string;
  post: CalendarEntry["post"];
  state: CalendarEntry["state"];
  at: string;
  /** In the studio's time zone: `2026-11-15T09:30`. */
  localTime: string;
  entries: readonly CalendarEntry[];
  canReschedule: boolean;
  canCancel: boolean;
  /** Whether the account filter hides other publications of the post at this time. */
  isPartial: boolean;
}

/** Groups the entries of each post that have the same minute and state. No `accountIds` means all accounts. */
export function groupEntries(
  entries: readonly CalendarEntry[],
  timezone: string,
  accountIds: readonly string[] = [],
): EntryGroup[] {
  const groups = Map.groupBy(
    entries,
    ({ post, at, state, isSuperseded }) =>
      `${post.id} ${toLocalTime(Date.parse(at), timezone)} ${state} ${canReschedule(state, isSuperseded)}`,
  );
  return [...groups.values()].flatMap((allEntries) => {
    const shownEntries =
      accountIds.length === 0 ? allEntries : allEntries.filter((entry) => accountIds.includes(entry.connectionId));
    const [firstEntry] = shownEntries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    if (!firstEntry) return [];
    const { id, post, state, at, isSuperseded } = firstEntry;
    const localTime = toLocalTime(Date.parse(at), timezone);
    return {
      id,
      post,
      state,
      at,
      localTime,
      entries: shownEntries,
      canReschedule: canReschedule(state, isSuperseded),
      canCancel: changeableStates.includes(state),
      isPartial: shownEntries.length < allEntries.length,
    };
  });
}

/** Maps each slot (calendar-slots.ts) that has entries to its groups. */
export const groupBySlot = <Item extends { localTime: string }>(
  groups: readonly Item[],
  unit: "day" | "hour",
): ReadonlyMap<string, readonly Item[]> =>
  Map.groupBy(groups, ({ localTime }) => localTime.slice(0, unit === "day" ? 10 : 13));

/** States in which nothing more happens until a person acts. */
const stuckStates: readonly EntryGroup["state"][] = ["proposed", "missed", "failed", "unconfirmed"];

const needsPerson = ({ state, entries }: EntryGroup): boolean =>
  stuckStates.includes(state) && entries.some(({ isSuperseded }) => !isSuperseded);

/** The first `count` groups, preferably those that need a person. They keep their order. */
export function selectUrgentGroups(groups: readonly EntryGroup[], count: number): EntryGroup[] {
  const sortedGroups = groups.toSorted((a, b) => Number(needsPerson(b)) - Number(needsPerson(a)));
  const selectedGroups = new Set(sortedGroups.slice(0, count));
  return groups.filter((group) => selectedGroups.has(group));
}
