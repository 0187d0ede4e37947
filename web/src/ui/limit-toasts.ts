/** A phone, upright or on its side, where several toasts would cover most of the page. */
export const smallScreenQuery = "(width < 40rem), (height < 30rem)";

/** How many toasts a screen shows at a time. */
const maxCount = 3;

/**
 * Returns the toasts to keep, oldest first. A small screen keeps only the newest one and, if that has no button, the
 * newest one with a button, so that an unrelated message does not take Undo away. What counts down stays on any screen.
 */
export function limitToasts<Toast extends { action?: unknown; countdown?: unknown }>(
  toasts: readonly Toast[],
  isSmallScreen: boolean,
): readonly Toast[] {
  const newestWithAction = toasts.findLast(({ action }) => action !== undefined);
  const keptToasts = isSmallScreen ? [toasts.at(-1), newestWithAction] : toasts.slice(-maxCount);
  return toasts.filter((toast) => toast.countdown !== undefined || keptToasts.includes(toast));
}
