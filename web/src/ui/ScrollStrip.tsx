import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";

/** The sides on which the row continues. */
type HiddenSides = "none" | "left" | "right" | "both";

// Hides the part of the row behind a button.
const maskClasses: Record<HiddenSides, string> = {
  none: "",
  left: "mask-[linear-gradient(to_right,transparent_2.5rem,black_3.5rem)]",
  right: "mask-[linear-gradient(to_left,transparent_2.5rem,black_3.5rem)]",
  both: "mask-[linear-gradient(to_right,transparent_2.5rem,black_3.5rem_calc(100%-3.5rem),transparent_calc(100%-2.5rem))]",
};

/** The classes of the frame and of the row in it. */
const layoutClasses = {
  always: ["-mx-4", "flex overflow-x-auto px-4 py-1"],
  phone: [
    "sm:contents max-sm:-mx-4 max-sm:-my-1",
    "sm:contents max-sm:flex max-sm:overflow-x-auto max-sm:px-4 max-sm:py-1",
  ],
} as const;

/**
 * A row, such as tabs, that scrolls sideways, into the page's margins. On each side where it continues, it has a button.
 * The selected tab, or an active filter, is in view.
 */
export function ScrollStrip({
  scrolls = "always",
  children,
}: {
  /** Whether it also scrolls on wide screens, which may have room for several lines. */
  scrolls?: keyof typeof layoutClasses;
  children: ReactNode;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const [hiddenSides, setHiddenSides] = useState<HiddenSides>("none");
  useEffect(() => {
    const strip = ref.current;
    if (!strip) return undefined;
    const update = (): void => setHiddenSides(findHiddenSides(strip));
    let hasShownSelected = false;
    const observer = new ResizeObserver(() => {
      if (!hasShownSelected) centerSelectedTab(strip);
      hasShownSelected = true;
      update();
    });
    for (const element of [strip, ...strip.children]) observer.observe(element);
    strip.addEventListener("scroll", update, { passive: true });
    strip.addEventListener("click", showTab);
    strip.addEventListener("focusin", showFocusedTab);
    return () => {
      observer.disconnect();
      strip.removeEventListener("scroll", update);
      strip.removeEventListener("click", showTab);
      strip.removeEventListener("focusin", showFocusedTab);
    };
  }, []);
  const scroll = (direction: 1 | -1) => (): void => {
    const strip = ref.current;
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
    strip?.scrollBy({ left: direction * strip.clientWidth * 0.6, behavior });
  };
  const [frameClasses, rowClasses] = layoutClasses[scrolls];
  return (
    <div className={`relative ${frameClasses}`}>
      <div ref={ref} className={`scroll-px-16 [scrollbar-width:none] ${rowClasses} ${maskClasses[hiddenSides]}`}>
        {children}
      </div>
      {(hiddenSides === "left" || hiddenSides === "both") && (
        <SideButton icon={ChevronLeft} className="left-0" onClick={scroll(-1)} />
      )}
      {(hiddenSides === "right" || hiddenSides === "both") && (
        <SideButton icon={ChevronRight} className="right-0" onClick={scroll(1)} />
      )}
    </div>
  );
}

/** Only for pointers: the focus scrolls the row for keyboards and screen readers. */
function SideButton({
  icon: Icon,
  className,
  onClick,
}: {
  icon: typeof ChevronLeft;
  className: string;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      aria-hidden="true"
      tabIndex={-1}
      className={`absolute inset-y-0 grid w-11 cursor-pointer place-items-center text-muted hover:text-ink ${className}`}
      onClick={onClick}
    >
      <Icon size={18} />
    </button>
  );
}

function centerSelectedTab(strip: HTMLElement): void {
  const tab = strip.querySelector<HTMLElement>("[data-state=active], [data-active], [aria-pressed=true]");
  if (tab) strip.scrollLeft = tab.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
}

/** Only for the keyboard: a press would move the tab from under the pointer before its click. */
function showFocusedTab(event: Event): void {
  if (event.target instanceof Element && event.target.matches(":focus-visible")) showTab(event);
}

/** A tab can be chosen while a part of it is out of view. Waits for the next frame: a selected tab can be wider. */
function showTab({ target }: Event): void {
  const tab = target instanceof Element ? target.closest("a, button") : null;
  requestAnimationFrame(() => tab?.scrollIntoView({ block: "nearest", inline: "nearest" }));
}

function findHiddenSides({ scrollLeft, clientWidth, scrollWidth }: HTMLElement): HiddenSides {
  const isLeftHidden = scrollLeft > 1;
  const isRightHidden = scrollLeft + clientWidth < scrollWidth - 1;
  if (isLeftHidden) return isRightHidden ? "both" : "left";
  return isRightHidden ? "right" : "none";
}
