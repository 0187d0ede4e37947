import { ChevronLeft, ChevronRight } from "lucide-react";
import { useRef, useState, type ReactNode } from "react";
import { IconButton } from "../ui/IconButton.tsx";

/** Slides of the same size, which a swipe, the arrow keys or the buttons move. */
export function Carousel({
  slides,
  aspectRatio,
}: {
  slides: readonly { key: string; content: ReactNode }[];
  aspectRatio: number;
}) {
  const list = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState(0);
  const step = (direction: 1 | -1) => (): void => {
    const slide = list.current?.children[current + direction];
    if (!list.current || !(slide instanceof HTMLElement)) return;
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
    list.current.scrollTo({ left: slide.offsetLeft, behavior });
  };
  return (
    <div className="relative border-y border-rule bg-sunken">
      <ul
        ref={list}
        className="relative flex snap-x snap-mandatory gap-1 overflow-x-auto focus-visible:outline-offset-[-3px]"
        aria-label={`Carousel of ${slides.length} files`}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollLeft, clientWidth } }) =>
          setCurrent(Math.min(slides.length - 1, Math.round(scrollLeft / clientWidth)))
        }
      >
        {slides.map(({ key, content }) => (
          <li key={key} className="grid max-h-[30rem] w-full flex-none snap-center" style={{ aspectRatio }}>
            {content}
          </li>
        ))}
      </ul>
      <div className="absolute top-2 right-2 z-1 flex items-center rounded-full bg-black/70 text-sm text-white">
        <StepButton icon={ChevronLeft} label="Previous file" isAtEnd={current === 0} onClick={step(-1)} />
        <span className="px-2 tabular-nums pointer-fine:px-0.5">
          {current + 1}/{slides.length}
        </span>
        <StepButton icon={ChevronRight} label="Next file" isAtEnd={current === slides.length - 1} onClick={step(1)} />
      </div>
    </div>
  );
}

/** Not disabled at the end, so that it keeps the focus. Fingers swipe. */
function StepButton({
  icon,
  label,
  isAtEnd,
  onClick,
}: {
  icon: typeof ChevronLeft;
  label: string;
  isAtEnd: boolean;
  onClick: () => void;
}) {
  return (
    <IconButton
      icon={icon}
      label={label}
      size="small"
      aria-disabled={isAtEnd}
      className="size-7! rounded-full! text-white! hover:bg-black/70! aria-disabled:opacity-40 pointer-coarse:hidden!"
      onClick={onClick}
    />
  );
}
