import type { CalendarEntry } from "../../api/summary-queries.ts";
import { canReschedule, changeableStates } from "../../publishing/state-labels.ts";
import { toLocalTime } from "../../publishing/zoned-time.ts";

/** The publications of a post with the same time and state, and the same actions: one card of the calendar. */
export interface EntryGroup {
  /** The id of its first publication: it stays the same when the time changes. */
  id: string;
  post: CalendarEntry["post"];
  state: CalendarEntry["state"];
  at: string;
  /** In the studio's time zone: `2026-11-15T09:30`. */
  localTime: string;
  entries: readonly CalendarEntry[];
  canReschedule: boolean;
  canCancel: boolean;
  /** Whether the post goes out to more accounts at this time, which a filter hides. */
  isPartial: boolean;
}

/** Groups the entries of one post with the same time and state. Without account ids, it includes all accounts. */
export function groupEntries(
  entries: readonly CalendarEntry[],
  timezone: string,
  accountIds: readonly string[] = [],
): EntryGroup[] {
  const groups = Map.groupBy(
    entries,
    ({ post, at, state, isSuperseded }) => `${post.id} ${at} ${state} ${canReschedule(state, isSuperseded)}`,
  );
  return [...groups.values()].flatMap((allMembers) => {
    const members =
      accountIds.length === 0 ? allMembers : allMembers.filter((entry) => accountIds.includes(entry.connectionId));
    const [first] = members.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    if (!first) return [];
    const { id, post, state, at, isSuperseded } = first;
    const localTime = toLocalTime(Date.parse(at), timezone);
    return {
      id,
      post,
      state,
      at,
      localTime,
      entries: members,
      canReschedule: canReschedule(state, isSuperseded),
      canCancel: changeableStates.includes(state),
      isPartial: members.length < allMembers.length,
    };
  });
}

/** Groups by day (`2026-11-15`) or by hour (`2026-11-15T09`). */
export const groupByPlace = (
  groups: readonly EntryGroup[],
  unit: "day" | "hour",
): ReadonlyMap<string, readonly EntryGroup[]> =>
  Map.groupBy(groups, ({ localTime }) => localTime.slice(0, unit === "day" ? 10 : 13));
