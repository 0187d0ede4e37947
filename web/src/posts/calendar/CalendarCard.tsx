import { useDraggable } from "@dnd-kit/core";
import type { ComponentProps } from "react";
import { stateLabels } from "../../publishing/publication-states.ts";
import { stateColors, stateIcons } from "../AccountStates.tsx";
import type { EntryGroup } from "./group-entries.ts";

/** The most accounts that a card names. Its tooltip names all. */
const maxAccounts = 2;

/** Below the title, a compact card has one line and hides the names that don't fit; in others, each gets its own line. */
const detailsClasses = { full: "", compact: "h-4 overflow-hidden" };

const accountClasses = { full: "line-clamp-2 [overflow-wrap:anywhere]", compact: "truncate" };

export type CardDensity = keyof typeof detailsClasses;

/** A card that can be dragged, if its time can be changed. Enter opens it; Space picks it up. */
export function DraggableCard({
  group,
  density,
  canDrag,
  onOpen,
}: {
  group: EntryGroup;
  density: CardDensity;
  canDrag: boolean;
  onOpen: (group: EntryGroup) => void;
}) {
  const isDisabled = !canDrag || !group.canReschedule;
  const { setNodeRef, attributes, listeners, isDragging } = useDraggable({
    id: group.id,
    data: { group },
    disabled: isDisabled,
  });
  return (
    <CalendarCard
      group={group}
      density={density}
      ref={setNodeRef}
      {...(isDisabled
        ? {}
        : { ...listeners, "aria-roledescription": "draggable", "aria-describedby": attributes["aria-describedby"] })}
      className={isDisabled ? "cursor-pointer" : `cursor-grab touch-manipulation ${isDragging ? "opacity-40" : ""}`}
      onClick={() => onOpen(group)}
    />
  );
}

export function CalendarCard({
  group: { post, state, localTime, entries },
  density = "full",
  className = "",
  ...rest
}: ComponentProps<"button"> & { group: EntryGroup; density?: CardDensity }) {
  const Icon = stateIcons[state];
  const accounts = entries.map(({ account }) => account).join(", ");
  return (
    <button
      {...rest}
      type="button"
      title={`${post.title}\n${stateLabels[state]}: ${accounts}`}
      className={`block w-full min-w-0 rounded-sm border border-rule bg-raised px-1.5 py-1 text-left text-xs/4 hover:border-control pointer-coarse:min-h-11 ${className}`}
    >
      <span className="line-clamp-2 font-medium [overflow-wrap:anywhere]">{post.title}</span>
      <span className={`flex flex-wrap items-center gap-x-1.5 text-muted ${detailsClasses[density]}`}>
        <span className="flex items-center gap-1 tabular-nums">
          <Icon size={14} className={`flex-none ${stateColors[state]}`} aria-hidden="true" />
          {localTime.slice(11)}
        </span>
        {entries.slice(0, maxAccounts).map(({ id, account }) => (
          <span key={id} className={`max-w-full ${accountClasses[density]}`} aria-hidden="true">
            {account}
          </span>
        ))}
        {entries.length > maxAccounts && <span aria-hidden="true">+{entries.length - maxAccounts}</span>}
      </span>
      <span className="sr-only">
        , {stateLabels[state]}, {accounts}
      </span>
    </button>
  );
}
