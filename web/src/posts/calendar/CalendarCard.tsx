import { useDraggable } from "@dnd-kit/core";
import type { ComponentProps } from "react";
import { stateLabels } from "../../publishing/publication-states.ts";
import { stateColors, stateIcons } from "../AccountStates.tsx";
import type { EntryGroup } from "./group-entries.ts";

/** A card that can be dragged, if its time can be changed. Enter opens it; Space picks it up. */
export function DraggableCard({
  group,
  canDrag,
  onOpen,
}: {
  group: EntryGroup;
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
  className = "",
  ...rest
}: ComponentProps<"button"> & { group: EntryGroup }) {
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
      <span className="flex items-center gap-1 text-muted tabular-nums">
        <Icon size={14} className={`flex-none ${stateColors[state]}`} aria-hidden="true" />
        {localTime.slice(11)}
        <span className="min-w-0 truncate" aria-hidden="true">
          {entries.length > 1 ? `${entries.length} accounts` : accounts}
        </span>
      </span>
      <span className="sr-only">
        , {stateLabels[state]}, {accounts}
      </span>
    </button>
  );
}
