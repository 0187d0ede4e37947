/** After the next render, which may remove the focused element. */
export const restoreFocusSoon = (): void => void setTimeout(restoreFocus);

/** Moves the focus to the main content if the focused element was removed, rather than to the top of the page. */
export function restoreFocus(): void {
  if (document.activeElement === document.body)
    document.querySelector<HTMLElement>("#main")?.focus({ preventScroll: true });
}
