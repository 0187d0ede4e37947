/** What had the focus is gone: it goes to the page itself, and not back to the top of everything. */
export function restoreFocus(): void {
  if (document.activeElement === document.body)
    document.querySelector<HTMLElement>("#main")?.focus({ preventScroll: true });
}
