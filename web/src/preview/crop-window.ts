export interface Size {
  width: number;
  height: number;
}

/** Where the crop lies on each axis: 0 is the left or top edge, 1 the right or bottom edge. */
export interface CropPosition {
  x: number;
  y: number;
}

/** The part of an image that a crop keeps. Coordinates are fractions of the image. */
export interface CropWindow extends Size {
  left: number;
  top: number;
  /** The only axis on which the window can move, because a crop removes either columns or rows. */
  axis: "x" | "y";
}

/** How far two aspect ratios can differ and still count as equal, because sizes are rounded to whole pixels. */
const maxAspectError = 0.02;

export const hasSameAspect = (a: Size, b: Size): boolean => {
  const ratio = a.width / a.height / (b.width / b.height);
  return Math.abs(ratio - 1) <= maxAspectError;
};

/** The part of `image` that a crop at this position keeps. The crop has the aspect ratio of `rendition`. */
export function getCropWindow(image: Size, rendition: Size, { x, y }: CropPosition): CropWindow {
  const ratio = rendition.width / rendition.height / (image.width / image.height);
  const [width, height] = [Math.min(1, ratio), Math.min(1, 1 / ratio)];
  return { width, height, left: (1 - width) * x, top: (1 - height) * y, axis: ratio < 1 ? "x" : "y" };
}

/** The position after the window was dragged by `delta`, in fractions of the image. */
export function dragWindow(position: CropPosition, window: CropWindow, delta: CropPosition): CropPosition {
  const { axis } = window;
  const range = 1 - (axis === "x" ? window.width : window.height);
  return range === 0 ? position : { ...position, [axis]: clampAndRound(position[axis] + delta[axis] / range) };
}

const keySteps: Readonly<Record<string, number>> = {
  ArrowLeft: -0.02,
  ArrowUp: -0.02,
  ArrowRight: 0.02,
  ArrowDown: 0.02,
  PageUp: -0.2,
  PageDown: 0.2,
  Home: -1,
  End: 1,
};

/** The position after a key press; undefined if the key does not move the window. */
export function moveByKey(position: CropPosition, axis: "x" | "y", key: string): CropPosition | undefined {
  const step = keySteps[key];
  return step === undefined ? undefined : { ...position, [axis]: clampAndRound(position[axis] + step) };
}

/** Rounds to a difference that a person can see, so that positions in the history are readable. */
const clampAndRound = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000;

/** For example, "25% from the left". */
export function describePosition(position: CropPosition, axis: "x" | "y"): string {
  const value = position[axis];
  const [start, end] = axis === "x" ? ["Left edge", "Right edge"] : ["Top edge", "Bottom edge"];
  if (value === 0) return start;
  if (value === 1) return end;
  if (value === 0.5) return "Centered";
  return `${Math.round(value * 100)}% from the ${axis === "x" ? "left" : "top"}`;
}
