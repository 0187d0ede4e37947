import { useDroppable } from "@dnd-kit/core";
import type { Calendar } from "../../api/summary-queries.ts";
import { toLocalTime } from "#portable/zoned-time.ts";
import { formatLongDay } from "./calendar-days.ts";

/** A free slot of an account. */
export type FreeSlot = NonNullable<Calendar["freeSlots"]>[number] & {
  /** In the studio's time zone: `2026-11-15T09:30`. */
  localTime: string;
};

/** The free slots of these accounts; no ids mean all accounts. */
export const toFreeSlots = (
  calendar: Calendar | undefined,
  accountIds: readonly string[],
  timezone: string,
): FreeSlot[] =>
  (calendar?.freeSlots ?? [])
    .filter(({ connectionId }) => accountIds.length === 0 || accountIds.includes(connectionId))
    .map((slot) => ({ ...slot, localTime: toLocalTime(Date.parse(slot.at), timezone) }));

/** Free slots of a day or an hour. A post that is dropped on one is scheduled there; a click chooses a post for it. */
export const FreeSlots = ({
  slots,
  max = slots.length,
  onOpen,
}: {
  slots: readonly FreeSlot[];
  /** More are hidden. */
  max?: number;
  onOpen: (slot: FreeSlot) => void;
}) => (
  <ul className="mt-0.5 grid grid-cols-1 gap-0.5 empty:hidden">
    {slots.slice(0, max).map((slot) => (
      <li key={`${slot.connectionId} ${slot.at}`} className="min-w-0">
        <FreeSlotButton slot={slot} onOpen={onOpen} />
      </li>
    ))}
    {slots.length > max && <li className="px-1.5 text-xs text-muted">+{slots.length - max} free slots</li>}
  </ul>
);

function FreeSlotButton({ slot, onOpen }: { slot: FreeSlot; onOpen: (slot: FreeSlot) => void }) {
  const { connectionId, account, at, localTime } = slot;
  const dayLabel = `Free slot on ${formatLongDay(localTime.slice(0, 10))}, `;
  const slotLabel = `${dayLabel}${localTime.slice(11)} ${account}`;
  const { setNodeRef, isOver } = useDroppable({
    id: `slot ${connectionId} ${at}`,
    data: { slotLabel, freeSlot: slot },
  });
  return (
    <button
      ref={setNodeRef}
      type="button"
      title={slotLabel}
      className={`flex w-full cursor-pointer items-center gap-1 rounded-sm border border-dashed px-1.5 py-0.5 text-left text-xs/4 hover:border-accent hover:text-ink pointer-coarse:min-h-11 ${isOver ? "border-accent bg-wash text-ink" : "border-control text-muted"}`}
      onClick={() => onOpen(slot)}
    >
      <span className="min-w-0 truncate">
        <span className="sr-only">{dayLabel}</span>
        <span className="tabular-nums">{localTime.slice(11)}</span> {account}
      </span>
    </button>
  );
}
