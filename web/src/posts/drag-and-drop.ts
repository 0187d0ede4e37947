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

/** Returns the id of the droppable that an arrow key leads to; undefined if there is none. */
export type GetNeighbor = (droppableId: string, key: string) => string | undefined;

/**
 * Moves the dragged item to the next droppable, instead of by a number of pixels. Its vertical position changes only as
 * far as necessary, because the center of a long column can be far outside the window.
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

/** Only Space picks up an item, because Enter opens it. */
const keyboardCodes = { start: ["Space"], cancel: ["Escape"], end: ["Space", "Enter"] };

/** Dragging by mouse, by touch (after a short press, so that swipes scroll) and by keyboard. */
export function useDragSensors(getNeighbor: GetNeighbor): SensorDescriptor<SensorOptions>[] {
  return useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 250, tolerance: 8 } }),
    useSensor(KeyboardSensor, { keyboardCodes, coordinateGetter: createCoordinateGetter(getNeighbor) }),
  );
}

/**
 * Finds the droppable under the pointer; while dragging by keyboard, the one that the item overlaps most. The closest
 * center is only a fallback, because an item at the top of a long column can be closer to the center of a short column.
 */
export const findDropTarget: CollisionDetection = (options) => {
  const collisions = options.pointerCoordinates ? pointerWithin(options) : [];
  if (collisions.length > 0) return collisions;
  const overlaps = rectIntersection(options);
  return overlaps.length > 0 || options.pointerCoordinates ? overlaps : closestCenter(options);
};
