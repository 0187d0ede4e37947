import { Plus } from "lucide-react";
import type { KeyboardEvent } from "react";
import { PlainIconButton } from "../../ui/IconButton.tsx";
import { getNeighbor } from "./calendar-slots.ts";

/**
 * Creates a post in a slot. A grid has one of these per slot, too many for Tab, so only the first is a tab stop, and
 * the arrow keys lead to the others. With a mouse, a button is visible while the pointer is in its slot.
 */
export function AddPostButton({
  slot,
  label,
  isTabStop,
  className = "",
  onCreate,
}: {
  slot: string;
  /** The slot, as people read it. */
  label: string;
  isTabStop: boolean;
  className?: string;
  onCreate: (slot: string) => void;
}) {
  return (
    <PlainIconButton
      icon={Plus}
      size="small"
      label={`New post on ${label}`}
      title={`New post on ${label}`}
      data-new-post={slot}
      tabIndex={isTabStop ? 0 : -1}
      className={`opacity-0 group-hover/cell:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100 ${className}`}
      onKeyDown={(event) => focusNeighbor(event, slot)}
      onClick={() => onCreate(slot)}
    />
  );
}

function focusNeighbor(event: KeyboardEvent, slot: string): void {
  if (!event.key.startsWith("Arrow")) return;
  event.preventDefault();
  document.querySelector<HTMLElement>(`[data-new-post="${getNeighbor(slot, event.key)}"]`)?.focus();
}
