/** Calls `restoreFocus` after the next render, which may remove the focused element. */
export const restoreFocusSoon = (): void => void setTimeout(restoreFocus);

/**
 * Focuses the open dialog or else the main content if the focused element was removed, so that keyboard users don't
 * restart at the top.
 */
export function restoreFocus(): void {
  if (document.activeElement !== document.body) return;
  const dialog = [...document.querySelectorAll<HTMLElement>("dialog[open]")].at(-1);
  (dialog ?? document.querySelector<HTMLElement>("#main"))?.focus({ preventScroll: true });
}
