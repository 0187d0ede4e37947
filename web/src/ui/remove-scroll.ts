import type { ReactNode } from "react";

/**
 * Replaces the package `react-remove-scroll` (see vite.config.ts). Radix needs it only for modal menus, which we don't
 * use: it injects a style element, which our Content Security Policy forbids.
 */
export const RemoveScroll = ({ children }: { children: ReactNode }): ReactNode => children;
