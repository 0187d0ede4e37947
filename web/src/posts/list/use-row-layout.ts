import { useLayoutEffect, useState, type RefObject } from "react";
import { flushSync } from "react-dom";

/** How many columns fit into a row. Rows render only what is visible, because long lists render many of them. */
export type RowLayout = "narrow" | "medium" | "wide";

/** Widths of the list in rem, as Tailwind's `@3xl` and `@4xl`. */
const minWidths = { medium: 48, wide: 56 };

/** The layout that fits the list's container. The first render uses an estimate, because measuring would delay it. */
export function useRowLayout(container: RefObject<HTMLElement | null>): RowLayout {
  const [layout, setLayout] = useState(() => chooseLayout(estimateWidth(document.documentElement.clientWidth)));
  useLayoutEffect(() => {
    const element = container.current;
    if (!element) return undefined;
    // Called after the browser's own layout and before it paints, so that a wrong estimate is never visible.
    const observer = new ResizeObserver(() => flushSync(() => setLayout(chooseLayout(element.clientWidth))));
    observer.observe(element);
    return () => observer.disconnect();
  }, [container]);
  return layout;
}

const getRem = (): number => parseFloat(getComputedStyle(document.documentElement).fontSize);

/** The width of the page's content, as the classes in `StudioLayout` set it. */
function estimateWidth(windowWidth: number): number {
  const rem = getRem();
  const isSidebarShown = windowWidth >= 54 * rem;
  if (!isSidebarShown) return windowWidth - 2 * rem;
  const padding = Math.min(Math.max(1.5 * rem, 0.03 * windowWidth), 2.5 * rem);
  return Math.min(windowWidth - 15 * rem, 92 * rem) - 2 * padding;
}

function chooseLayout(width: number): RowLayout {
  const rem = getRem();
  if (width < minWidths.medium * rem) return "narrow";
  return width < minWidths.wide * rem ? "medium" : "wide";
}
