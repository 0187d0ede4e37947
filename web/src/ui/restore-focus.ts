/** Calls `restoreFocus` after the next render, which may remove the focused element. */
export const restoreFocusSoon = (): void => void setTimeout(restoreFocus);

/** If the focused element was removed, focuses the main content, so that keyboard users don't restart at the page's top. */
export function restoreFocus(): void {
  if (document.activeElement === document.body)
    document.querySelector<HTMLElement>("#main")?.focus({ preventScroll: true });
}
