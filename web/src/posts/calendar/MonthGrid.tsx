import { useDroppable } from "@dnd-kit/core";
import { AddPostButton } from "./AddPostButton.tsx";
import { formatLongDay, formatWeekday } from "./calendar-days.ts";
import { DraggableCard } from "./CalendarCard.tsx";
import { hasPassed, isOver } from "./calendar-slots.ts";
import { FreeSlots, type FreeSlot } from "./FreeSlots.tsx";
import { groupBySlot, selectUrgentGroups, type EntryGroup } from "./group-entries.ts";

/** If a day has more cards, they are compact. */
const maxFullCards = 3;
/** If a day has more cards, it shows one fewer, and a button with the number of hidden ones. */
const maxCards = 5;

/** The week shows the others, too. */
const maxFreeSlots = 3;

export interface GridProps {
  days: readonly string[];
  groups: readonly EntryGroup[];
  freeSlots: readonly FreeSlot[];
  /** In the studio's time zone: `2026-11-15`. */
  today: string;
  /** In the studio's time zone: `2026-11-15T09:30`. */
  now: string;
  canDrag: boolean;
  onOpen: (group: EntryGroup) => void;
  onOpenSlot: (slot: FreeSlot) => void;
  /** Creates a post for a slot; undefined for users who may not create posts. */
  onCreate: ((slot: string) => void) | undefined;
}

/** The weeks of a month. A card keeps its time of day when it is dragged to another day. */
export function MonthGrid({
  month,
  onShowDay,
  ...grid
}: GridProps & {
  /** `2026-11` */
  month: string;
  onShowDay: (day: string) => void;
}) {
  const groupsByDay = groupBySlot(grid.groups, "day");
  const slotsByDay = groupBySlot(grid.freeSlots, "day");
  const firstSlot = grid.days.find((day) => !hasPassed(day, grid.now));
  const weeks = Array.from({ length: grid.days.length / 7 }, (_, week) => grid.days.slice(week * 7, week * 7 + 7));
  return (
    <table className="w-full table-fixed border-collapse">
      <thead>
        <tr>
          {grid.days.slice(0, 7).map((day) => (
            <th key={day} scope="col" className="px-2 pb-1 text-left text-xs font-medium text-muted">
              {formatWeekday(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => (
              <MonthDay
                key={day}
                {...grid}
                day={day}
                groups={groupsByDay.get(day) ?? []}
                freeSlots={slotsByDay.get(day) ?? []}
                isTabStop={day === firstSlot}
                isOtherMonth={!day.startsWith(month)}
                onShowDay={onShowDay}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function MonthDay({
  day,
  today,
  now,
  groups,
  freeSlots,
  canDrag,
  isTabStop,
  isOtherMonth,
  onOpen,
  onOpenSlot,
  onCreate,
  onShowDay,
}: Omit<GridProps, "days"> & {
  day: string;
  isTabStop: boolean;
  isOtherMonth: boolean;
  onShowDay: (day: string) => void;
}) {
  const { setNodeRef, isOver: isDropTarget } = useDroppable({
    id: day,
    data: { slotLabel: formatLongDay(day) },
    disabled: isOver(day, now),
  });
  const visibleGroups = groups.length > maxCards ? selectUrgentGroups(groups, maxCards - 1) : groups;
  const hiddenCount = groups.length - visibleGroups.length;
  return (
    <td
      ref={setNodeRef}
      aria-current={day === today ? "date" : undefined}
      className={`group/cell h-30 border border-rule p-1 align-top ${isDropTarget ? "bg-wash" : ""} ${isOtherMonth && !isDropTarget ? "bg-sunken" : ""}`}
    >
      <div className="mb-1 flex min-h-6 items-center justify-between pl-1 text-xs pointer-coarse:min-h-11">
        <span
          className={`inline-grid size-6 place-items-center rounded-full tabular-nums ${getNumberClasses(day, today, isOtherMonth)}`}
        >
          <span aria-hidden="true">{Number(day.slice(8))}</span>
          <span className="sr-only">{formatLongDay(day)}</span>
        </span>
        {onCreate && !hasPassed(day, now) && (
          <AddPostButton
            slot={day}
            label={formatLongDay(day)}
            isTabStop={isTabStop}
            className="h-6 w-6 pointer-coarse:h-11 pointer-coarse:w-11"
            onCreate={onCreate}
          />
        )}
      </div>
      <ul className="grid grid-cols-1 gap-0.5 empty:hidden">
        {visibleGroups.map((group) => (
          <li key={group.id} className="min-w-0">
            <DraggableCard
              group={group}
              density={groups.length > maxFullCards ? "compact" : "full"}
              canDrag={canDrag}
              onOpen={onOpen}
            />
          </li>
        ))}
      </ul>
      {hiddenCount > 0 && (
        <button
          type="button"
          className="mt-0.5 min-h-6 w-full cursor-pointer rounded-sm px-1.5 text-left text-xs text-muted hover:bg-hover hover:text-ink pointer-coarse:min-h-11"
          aria-label={`Show ${hiddenCount} more on ${formatLongDay(day)}`}
          onClick={() => onShowDay(day)}
        >
          +{hiddenCount} more
        </button>
      )}
      <FreeSlots slots={freeSlots} max={maxFreeSlots} onOpen={onOpenSlot} />
    </td>
  );
}

function getNumberClasses(day: string, today: string, isOtherMonth: boolean): string {
  if (day === today) return "bg-accent font-semibold text-accent-ink";
  return isOtherMonth || day < today ? "text-muted" : "text-ink";
}
