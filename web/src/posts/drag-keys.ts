import {
  closestCenter,
  KeyboardSensor,
  MouseSensor,
  pointerWithin,
  rectIntersection,
  TouchSensor,
  useSensor,
  useSensors,
  type CollisionDetection,
  type KeyboardCoordinateGetter,
  type SensorDescriptor,
  type SensorOptions,
} from "@dnd-kit/core";

/** The place that an arrow key leads to, as a droppable's id; undefined if there is none. */
export type GetNeighbor = (droppableId: string, key: string) => string | undefined;

/**
 * Moves the dragged item into the next place, instead of by a number of pixels. It stays at its height if the place
 * reaches that far: the center of a long column can be far outside the window.
 */
const createCoordinateGetter =
  (getNeighbor: GetNeighbor): KeyboardCoordinateGetter =>
  (event, { context: { over, droppableRects, collisionRect } }) => {
    if (!event.code.startsWith("Arrow")) return undefined;
    event.preventDefault();
    const neighborId = over ? getNeighbor(String(over.id), event.code) : undefined;
    const rect = neighborId === undefined ? undefined : droppableRects.get(neighborId);
    if (!rect || !collisionRect) return undefined;
    return {
      x: rect.left + (rect.width - collisionRect.width) / 2,
      y: Math.max(rect.top, Math.min(collisionRect.top, rect.bottom - collisionRect.height)),
    };
  };

/** Enter stays free for opening an item: Space picks it up. */
const keyboardCodes = { start: ["Space"], cancel: ["Escape"], end: ["Space", "Enter"] };

/** Drag with a mouse, with a finger after a short press, so that swipes scroll, and with the keyboard. */
export function useDragSensors(getNeighbor: GetNeighbor): SensorDescriptor<SensorOptions>[] {
  return useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 250, tolerance: 8 } }),
    useSensor(KeyboardSensor, { keyboardCodes, coordinateGetter: createCoordinateGetter(getNeighbor) }),
  );
}

/**
 * Where the pointer is; without one, what the dragged item overlaps most. The closest center is only a fallback, because
 * places differ in height: an item at the top of a long column can be closer to the center of a short one.
 */
export const findDropTarget: CollisionDetection = (options) => {
  const collisions = options.pointerCoordinates ? pointerWithin(options) : [];
  if (collisions.length > 0) return collisions;
  const overlaps = rectIntersection(options);
  return overlaps.length > 0 || options.pointerCoordinates ? overlaps : closestCenter(options);
};
