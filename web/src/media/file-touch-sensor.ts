import { TouchSensor, type SensorProps, type TouchSensorOptions } from "@dnd-kit/core";

/** For the element that a finger drags at once. It needs `touch-action: none`, or the browser scrolls instead. */
export const handleProps = { "data-drag-handle": "" };

/** Starts to drag by the handle without the delay that lets a swipe over the rest of the file scroll. */
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
