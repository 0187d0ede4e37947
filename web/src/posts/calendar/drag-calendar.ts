import type { Announcements } from "@dnd-kit/core";
import type { GetNeighbor } from "../drag-keys.ts";
import type { PostSummary } from "../../api/summary-queries.ts";
import { addDays } from "./calendar-days.ts";
import type { EntryGroup } from "./group-entries.ts";

/** A place is a day (`2026-11-15`), or an hour of it (`2026-11-15T09`). */
export const getNeighbor: GetNeighbor = (place, key) => {
  const [day = "", hour] = place.split("T");
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const nextDay = addDays(day, key === "ArrowLeft" ? -1 : 1);
    return hour === undefined ? nextDay : `${nextDay}T${hour}`;
  }
  const step = key === "ArrowUp" ? -1 : 1;
  return hour === undefined ? addDays(day, 7 * step) : `${day}T${String(Number(hour) + step).padStart(2, "0")}`;
};

/** Both times are in the studio's time zone. A day has passed when it is over, an hour when it starts. */
export const hasPassed = (place: string, now: string): boolean =>
  place.includes("T") ? `${place}:00` <= now : place < now.slice(0, 10);

/** A card of the calendar, or a post of the list beside it. */
export interface DragData {
  group?: EntryGroup;
  post?: PostSummary;
}

interface Item {
  data: { current?: Record<string, unknown> | undefined };
}

const getTitle = ({ data }: Item): string => {
  const { group, post } = (data.current ?? {}) as DragData;
  return (group?.post ?? post)?.title ?? "";
};
const getPlace = (over: Item | null): string | undefined => over?.data.current?.["place"] as string | undefined;

export const announcements: Announcements = {
  onDragStart: ({ active }) => `Picked up ${getTitle(active)}.`,
  onDragOver: ({ over }) => getPlace(over),
  onDragEnd: ({ active, over }) => `Dropped ${getTitle(active)} on ${getPlace(over) ?? "its place"}.`,
  onDragCancel: ({ active }) => `Canceled. ${getTitle(active)} stays where it was.`,
};

export const screenReaderInstructions = {
  draggable:
    "Press Enter to open it. To choose a time, press Space, choose a day or hour with the arrow keys, and press Space again. Escape cancels.",
};
