import { useLayoutEffect, useState, type RefObject } from "react";

/** How many columns a row has room for. Rows render only what is visible, because long lists render many of them. */
export type RowLayout = "narrow" | "medium" | "wide";

/** Widths of the list in rem, as Tailwind's `@2xl` and `@4xl`. */
const minWidths = { medium: 42, wide: 56 };

/** The layout that fits the list's container; undefined until it has been measured, before the first paint. */
export function useRowLayout(container: RefObject<HTMLElement | null>): RowLayout | undefined {
  const [layout, setLayout] = useState<RowLayout>();
  useLayoutEffect(() => {
    const element = container.current;
    if (!element) return undefined;
    const measure = () => setLayout(chooseLayout(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [container]);
  return layout;
}

function chooseLayout(width: number): RowLayout {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  if (width < minWidths.medium * rem) return "narrow";
  return width < minWidths.wide * rem ? "medium" : "wide";
}
