import { TouchSensor, type SensorProps, type TouchSensorOptions } from "@dnd-kit/core";

/** For the drag handle. It needs `touch-action: none`, or the browser scrolls instead. */
export const handleProps = { "data-drag-handle": "" };

/** Dragging at the handle starts at once. Elsewhere on the file, it starts after a delay, so that swipes scroll. */
export class FileTouchSensor extends TouchSensor {
  constructor(props: SensorProps<TouchSensorOptions>) {
    super(
      isOnHandle(props.event)
        ? { ...props, options: { ...props.options, activationConstraint: handleConstraint } }
        : props,
    );
  }
}

const handleConstraint = { distance: 6 };

const isOnHandle = ({ target }: Event): boolean =>
  target instanceof Element && target.closest("[data-drag-handle]") !== null;
