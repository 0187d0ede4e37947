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

/** A row that scrolls sideways, into the page's margins. On each side where it continues, it has a button. */
export function ScrollStrip({ children }: { children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  const [hiddenSides, setHiddenSides] = useState<HiddenSides>("none");
  useEffect(() => {
    const strip = ref.current;
    if (!strip) return undefined;
    const update = (): void => setHiddenSides(findHiddenSides(strip));
    const observer = new ResizeObserver(update);
    for (const element of [strip, ...strip.children]) observer.observe(element);
    strip.addEventListener("scroll", update, { passive: true });
    return () => {
      observer.disconnect();
      strip.removeEventListener("scroll", update);
    };
  }, []);
  const scroll = (direction: 1 | -1) => (): void => {
    const strip = ref.current;
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
    strip?.scrollBy({ left: direction * strip.clientWidth * 0.6, behavior });
  };
  return (
    <div className="relative -mx-4">
      <div
        ref={ref}
        className={`flex scroll-px-16 overflow-x-auto px-4 py-1 [scrollbar-width:none] ${maskClasses[hiddenSides]}`}
      >
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

function findHiddenSides({ scrollLeft, clientWidth, scrollWidth }: HTMLElement): HiddenSides {
  const isLeftHidden = scrollLeft > 1;
  const isRightHidden = scrollLeft + clientWidth < scrollWidth - 1;
  if (isLeftHidden) return isRightHidden ? "both" : "left";
  return isRightHidden ? "right" : "none";
}
