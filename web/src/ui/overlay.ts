import { createContext, use } from "react";

/**
 * The element that menus, popovers and tooltips are rendered into. A modal dialog provides itself, because the browser
 * makes everything outside of it inert.
 */
const OverlayContext = createContext<HTMLElement | null>(null);

export const OverlayProvider = OverlayContext;

export const useOverlayContainer = (): HTMLElement | null => use(OverlayContext);

/** The surface of menus and popovers. */
export const overlayClasses =
  "z-40 max-w-[calc(100vw-1rem)] animate-fade rounded-lg bg-raised text-ink shadow-overlay forced-colors:border";
