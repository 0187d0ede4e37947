import type { Announcements } from "@dnd-kit/core";
import type { PostSummary } from "../../api/summary-queries.ts";
import type { EntryGroup } from "./group-entries.ts";

/** A card of the calendar, or a post of the list beside it. */
export interface DragData {
  group?: EntryGroup;
  post?: PostSummary;
}

interface ItemOrSlot {
  data: { current?: Record<string, unknown> | undefined };
}

const getTitle = ({ data }: ItemOrSlot): string => {
  const { group, post } = (data.current ?? {}) as DragData;
  return (group?.post ?? post)?.title ?? "";
};
const getSlotLabel = (over: ItemOrSlot | null): string | undefined =>
  over?.data.current?.["slotLabel"] as string | undefined;

export const announcements: Announcements = {
  onDragStart: ({ active }) => `Picked up ${getTitle(active)}.`,
  onDragOver: ({ over }) => getSlotLabel(over),
  // A dialog or a toast says what happened to an item that was dropped on a slot.
  onDragEnd: ({ active, over }) =>
    getSlotLabel(over) === undefined ? `${getTitle(active)} stays where it was.` : undefined,
  onDragCancel: ({ active }) => `Canceled. ${getTitle(active)} stays where it was.`,
};

export const screenReaderInstructions = {
  draggable:
    "Press Enter to open it. To choose a time, press Space, choose a day or hour with the arrow keys, and press Space again. Escape cancels.",
};
