import { useDroppable } from "@dnd-kit/core";
import { Plus } from "lucide-react";
import { useState } from "react";
import { PlainIconButton } from "../../ui/IconButton.tsx";
import { AddPostButton } from "./AddPostButton.tsx";
import { formatLongDay, formatWeekday } from "./calendar-days.ts";
import { DraggableCard } from "./CalendarCard.tsx";
import { hasPassed, isOver } from "./calendar-slots.ts";
import { FreeSlots, type FreeSlot } from "./FreeSlots.tsx";
import { groupBySlot, type EntryGroup } from "./group-entries.ts";
import type { GridProps } from "./MonthGrid.tsx";

/** Hours that are always shown; earlier and later ones only if something is planned then, or if the user wants them. */
const workingHours = { first: 7, last: 21 } as const;

const padHour = (hour: number): string => String(hour).padStart(2, "0");

/** The hours of a week. A card keeps its minutes when it is dragged to another hour. */
export function WeekGrid({ days, groups, freeSlots, today, now, canDrag, onOpen, onOpenSlot, onCreate }: GridProps) {
  const groupsByHour = groupBySlot(groups, "hour");
  const slotsByHour = groupBySlot(freeSlots, "hour");
  const usedHours = [...groups, ...freeSlots].map(({ localTime }) => Number(localTime.slice(11, 13)));
  const firstUsedHour = Math.min(workingHours.first, ...usedHours);
  const lastUsedHour = Math.max(workingHours.last, ...usedHours);
  const [areEarlierShown, setAreEarlierShown] = useState(false);
  const [areLaterShown, setAreLaterShown] = useState(false);
  const firstHour = areEarlierShown ? 0 : firstUsedHour;
  const lastHour = areLaterShown ? 23 : lastUsedHour;
  const hours = Array.from({ length: lastHour - firstHour + 1 }, (_, index) => padHour(firstHour + index));
  const firstSlot = days.flatMap((day) => hours.map((hour) => `${day}T${hour}`)).find((slot) => !hasPassed(slot, now));
  return (
    <table className="w-full table-fixed border-collapse">
      <thead>
        <tr>
          <th scope="col" className="w-12">
            <span className="sr-only">Hour</span>
          </th>
          {days.map((day) => (
            <th
              key={day}
              scope="col"
              // Without the button.
              aria-label={formatLongDay(day)}
              aria-current={day === today ? "date" : undefined}
              className={`px-2 pb-1.5 text-left text-xs font-medium ${day === today ? "text-accent" : "text-muted"}`}
            >
              <div className="flex items-center justify-between">
                <span className="sr-only">{formatLongDay(day)}</span>
                <span
                  aria-hidden="true"
                  className="flex items-center gap-x-1 pointer-coarse:flex-col pointer-coarse:items-start"
                >
                  {formatWeekday(day)}
                  <span
                    className={`text-base font-semibold ${day === today ? "grid size-7 place-items-center rounded-full bg-accent text-accent-ink" : "leading-7"}`}
                  >
                    {Number(day.slice(8))}
                  </span>
                </span>
                {onCreate && !hasPassed(day, now) && (
                  // For fingers, because the buttons in the cells are invisible for them.
                  <PlainIconButton
                    icon={Plus}
                    size="small"
                    label={`New post on ${formatLongDay(day)}`}
                    className="-mr-2 not-pointer-coarse:hidden"
                    onClick={() => onCreate(day)}
                  />
                )}
              </div>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {firstUsedHour > 0 && (
          <HoursToggle name="earlier hours" isOpen={areEarlierShown} onToggle={setAreEarlierShown} />
        )}
        {hours.map((hour) => (
          <tr key={hour}>
            <th scope="row" className="pr-2 text-right align-top text-xs font-normal text-muted tabular-nums">
              {hour}:00
            </th>
            {days.map((day) => {
              const slot = `${day}T${hour}`;
              return (
                <HourCell
                  key={day}
                  day={day}
                  hour={hour}
                  now={now}
                  groups={groupsByHour.get(slot) ?? []}
                  freeSlots={slotsByHour.get(slot) ?? []}
                  canDrag={canDrag}
                  isTabStop={slot === firstSlot}
                  onOpen={onOpen}
                  onOpenSlot={onOpenSlot}
                  onCreate={hasPassed(slot, now) ? undefined : onCreate}
                />
              );
            })}
          </tr>
        ))}
        {lastUsedHour < 23 && <HoursToggle name="later hours" isOpen={areLaterShown} onToggle={setAreLaterShown} />}
      </tbody>
    </table>
  );
}

/** A row that shows or hides the hours before or after those with posts. */
function HoursToggle({
  name,
  isOpen,
  onToggle,
}: {
  name: string;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
}) {
  return (
    <tr>
      <th scope="row">
        <span className="sr-only">More hours</span>
      </th>
      <td colSpan={7} className="border border-rule p-0.5">
        <button
          type="button"
          className="min-h-6 w-full cursor-pointer rounded-sm px-1.5 text-left text-xs text-muted hover:bg-hover hover:text-ink pointer-coarse:min-h-11"
          onClick={() => onToggle(!isOpen)}
        >
          {isOpen ? "Hide" : "Show"} {name}
        </button>
      </td>
    </tr>
  );
}

function HourCell({
  day,
  hour,
  now,
  groups,
  freeSlots,
  canDrag,
  isTabStop,
  onOpen,
  onOpenSlot,
  onCreate,
}: {
  day: string;
  hour: string;
  now: string;
  groups: readonly EntryGroup[];
  freeSlots: readonly FreeSlot[];
  canDrag: boolean;
  isTabStop: boolean;
  onOpen: (group: EntryGroup) => void;
  onOpenSlot: (slot: FreeSlot) => void;
  onCreate: ((slot: string) => void) | undefined;
}) {
  const slot = `${day}T${hour}`;
  const label = `${formatLongDay(day)}, ${hour}:00`;
  const { setNodeRef, isOver: isDropTarget } = useDroppable({
    id: slot,
    data: { slotLabel: label },
    disabled: isOver(slot, now),
  });
  return (
    <td
      ref={setNodeRef}
      className={`group/cell h-10 border border-rule p-0.5 align-top ${isDropTarget ? "bg-wash" : ""}`}
    >
      <ul className="grid grid-cols-1 gap-0.5 empty:hidden">
        {groups.map((group) => (
          <li key={group.id} className="min-w-0">
            <DraggableCard
              group={group}
              density={groups.length > 1 ? "compact" : "full"}
              canDrag={canDrag}
              onOpen={onOpen}
            />
          </li>
        ))}
      </ul>
      <FreeSlots slots={freeSlots} onOpen={onOpenSlot} />
      {onCreate && (
        <AddPostButton
          slot={slot}
          label={label}
          isTabStop={isTabStop}
          className={`w-full pointer-coarse:h-11 pointer-coarse:[&>svg]:hidden ${groups.length > 0 ? "h-6" : "h-9"}`}
          onCreate={onCreate}
        />
      )}
    </td>
  );
}
