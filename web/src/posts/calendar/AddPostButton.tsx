import { Plus } from "lucide-react";
import type { KeyboardEvent } from "react";
import { PlainIconButton } from "../../ui/IconButton.tsx";
import { getNeighbor } from "./drag-calendar.ts";

/**
 * Creates a post for a day or an hour. A grid has one of these per cell, too many for Tab: only the first is a tab stop,
 * and the arrow keys lead to the others. With a mouse, a button is visible while the pointer is in its cell.
 */
export function AddPostButton({
  place,
  label,
  isTabStop,
  className = "",
  onCreate,
}: {
  place: string;
  /** The day or hour, as people read it. */
  label: string;
  isTabStop: boolean;
  className?: string;
  onCreate: (place: string) => void;
}) {
  return (
    <PlainIconButton
      icon={Plus}
      size="small"
      label={`New post on ${label}`}
      title={`New post on ${label}`}
      data-new-post={place}
      tabIndex={isTabStop ? 0 : -1}
      className={`opacity-0 group-hover/cell:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100 ${className}`}
      onKeyDown={(event) => focusNeighbor(event, place)}
      onClick={() => onCreate(place)}
    />
  );
}

function focusNeighbor(event: KeyboardEvent, place: string): void {
  if (!event.key.startsWith("Arrow")) return;
  event.preventDefault();
  const neighbor = getNeighbor(place, event.key) ?? "";
  document.querySelector<HTMLElement>(`[data-new-post="${neighbor}"]`)?.focus();
}
