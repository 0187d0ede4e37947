import type { Announcements, CollisionDetection } from "@dnd-kit/core";
import type { PostSummary } from "../../api/summary-queries.ts";
import { findDropTarget } from "../drag-and-drop.ts";
import type { FreeSlot } from "./FreeSlots.tsx";
import type { EntryGroup } from "./group-entries.ts";

/** A card of the calendar, or a post of the list beside it. */
export interface DragData {
  group?: EntryGroup;
  post?: PostSummary;
}

/** The free slot of an account that a droppable stands for; undefined for a day or an hour. */
export const getFreeSlot = ({ data }: ItemOrSlot): FreeSlot | undefined =>
  data.current?.["freeSlot"] as FreeSlot | undefined;

/**
 * Like `findDropTarget`. A card can be dropped on slots of its own accounts. The arrow keys lead to days and hours only:
 * slots are buttons, which work by keyboard without dragging.
 */
export const findCalendarTarget: CollisionDetection = (options) => {
  const { group } = (options.active.data.current ?? {}) as DragData;
  const droppableContainers = options.droppableContainers.filter((container) => {
    const slot = getFreeSlot(container);
    if (!slot) return true;
    const isOwnSlot = group?.entries.some(({ connectionId }) => connectionId === slot.connectionId) ?? true;
    return options.pointerCoordinates !== null && isOwnSlot;
  });
  return findDropTarget({ ...options, droppableContainers });
};

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
