/**
 * What floats at the bottom of the window is above a selection bar, and above a bar of actions that sticks to the
 * bottom. On a phone, the first has two lines and the second three.
 */
export const bottomClasses =
  "bottom-4 [body:has([data-selection-bar],[data-sticky-actions])_&]:bottom-20 max-sm:[body:has([data-selection-bar])_&]:bottom-34 max-sm:[body:has([data-sticky-actions])_&]:bottom-47";
