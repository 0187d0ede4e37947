import { formatError } from "../../api/api-error.ts";
import { inBatch } from "../../api/change.ts";
import { holdLists } from "../../api/list-holds.ts";
import { reschedulePublication } from "../../api/mutations.ts";
import type { Studio } from "../../api/queries.ts";
import { cancelListRequests, patchCalendar, type CalendarEntry } from "../../api/summary-queries.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { mayPublishWithoutApproval } from "../../publishing/may-publish-without-approval.ts";
import { resolveLocalTime } from "#portable/zoned-time.ts";
import { useConfirm } from "../../ui/Confirm.tsx";
import { formatTime } from "../../ui/format-time.ts";
import { useToast } from "../../ui/Toasts.tsx";

type PlannedEntry = Pick<CalendarEntry, "id" | "account" | "state" | "scheduledFor">;

/** Publications of a post with the same time. */
export interface PlannedGroup {
  post: { title: string };
  /** In the studio's time zone: `2026-11-15T09:30`; undefined for requests that have no time. */
  localTime: string | undefined;
  entries: readonly PlannedEntry[];
  /** Whether the post has other publications at this time. */
  isPartial: boolean;
}

export type Reschedule = (
  group: PlannedGroup,
  localTime: string,
  /** Whether the user already knows that the approval is lost. */
  options?: { isApprovalLossExplained?: boolean },
) => Promise<void>;

/** Whether a new time needs a new approval, because this user may not approve. */
export const losesApproval = ({ entries }: PlannedGroup, studio: Studio): boolean =>
  entries.some(({ state }) => state !== "proposed") && !mayPublishWithoutApproval(studio);

/** Moves a group to another time (`2026-11-15T09:30` in the studio's time zone). Asks before an approval is lost. */
export function useReschedule(): Reschedule {
  const { studio } = useStudio();
  const showToast = useToast();
  const confirm = useConfirm();

  /** Moves one entry after the other, and stops at the first failure. */
  async function move(
    entries: readonly PlannedEntry[],
    at: string,
  ): Promise<{ movedEntries: PlannedEntry[]; errorText: string }> {
    const previousEntries = new Map(entries.map((entry) => [entry.id, entry]));
    const release = holdLists();
    const movedEntries: PlannedEntry[] = [];
    let errorText = "";
    try {
      await cancelListRequests(studio.id);
      patchCalendar(studio.id, (entry) => (previousEntries.has(entry.id) ? { ...entry, at, scheduledFor: at } : entry));
      for (const entry of entries) {
        const { state } = await reschedulePublication({ studioId: studio.id, publicationId: entry.id }, { at });
        movedEntries.push({ ...entry, state, scheduledFor: at });
        previousEntries.delete(entry.id);
      }
    } catch (error) {
      patchCalendar(studio.id, (entry) => {
        const previous = previousEntries.get(entry.id);
        return previous ? { ...entry, at: previous.scheduledFor ?? at, scheduledFor: previous.scheduledFor } : entry;
      });
      errorText = formatError(error);
    } finally {
      release();
    }
    return { movedEntries, errorText };
  }

  async function undoMove(entries: readonly PlannedEntry[], at: string): Promise<void> {
    const { errorText } = await move(entries, at);
    if (errorText !== "") showToast({ text: errorText });
  }

  async function moveGroup({ post, entries, isPartial }: PlannedGroup, at: string): Promise<void> {
    const { movedEntries, errorText } = await move(entries, at);
    if (movedEntries.length === 0) {
      showToast({ text: errorText });
      return;
    }
    const needsApproval = movedEntries.some(({ state }, i) => state === "proposed" && entries[i]?.state !== "proposed");
    const previousAt = entries[0]?.scheduledFor ?? undefined;
    const accounts = movedEntries.map(({ account }) => account).join(", ");
    const target = isPartial || errorText !== "" ? ` for ${accounts}. Its other accounts keep their time` : "";
    // One toast: on a phone, a second one would hide the error.
    showToast({
      text: `“${post.title}” moved to ${formatTime(at, studio.timezone)}${target}.${needsApproval ? " It needs approval again." : ""} ${errorText}`.trim(),
      // An earlier time can no longer be chosen once it has passed, and a lost approval can't be restored.
      ...(previousAt !== undefined && Date.parse(previousAt) > Date.now() && !needsApproval
        ? { action: { label: "Undo", run: () => void inBatch(() => undoMove(movedEntries, previousAt)) } }
        : {}),
    });
  }

  return async (group, localTime, { isApprovalLossExplained = false } = {}) => {
    if (localTime === group.localTime) return;
    const time = resolveLocalTime(localTime, studio.timezone);
    if (time.kind !== "valid") {
      showToast({ text: "Clocks skip this time on that day. Choose an earlier or later time." });
      return;
    }
    if (Date.parse(time.iso) < Date.now()) {
      showToast({ text: "That time is in the past. Choose a later time." });
      return;
    }
    const at = new Date(time.iso).toISOString();
    if (isApprovalLossExplained || !losesApproval(group, studio)) return inBatch(() => moveGroup(group, at));
    confirm({
      title: `Move “${group.post.title}” to ${formatTime(at, studio.timezone)}?`,
      body: "It loses its approval: nothing is published until an owner or admin approves the new time. This can’t be undone.",
      action: "Move",
      busyLabel: "Moving…",
      run: () => inBatch(() => moveGroup(group, at)),
    });
  };
}
