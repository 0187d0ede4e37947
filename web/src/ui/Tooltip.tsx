import {
  cloneElement,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentProps,
  type ReactElement,
  type ReactNode,
} from "react";
import { createPortal } from "react-dom";
import { useOverlayContainer } from "./overlay.ts";

const delayMs = 400;
/** The space in pixels between the tooltip and its button, and around the tooltip at the edge of the window. */
const gap = 6;
const margin = 8;

/**
 * A short text below a button, for users of a mouse or keyboard. It never contains what touch users need, and screen
 * readers don't read it: it repeats the name of its button.
 */
export function Tooltip({
  content,
  children,
}: {
  content: ReactNode;
  children: ReactElement<ComponentProps<"button">>;
}) {
  const [anchor, setAnchor] = useState<HTMLElement>();
  const [hoveredButton, setHoveredButton] = useState<HTMLElement>();
  const { onPointerEnter, onPointerLeave, onPointerDown, onKeyUp, onBlur, onClick } = children.props;
  useEffect(() => {
    if (!hoveredButton) return undefined;
    const timer = setTimeout(() => hasOpenMenu(hoveredButton) || setAnchor(hoveredButton), delayMs);
    return () => clearTimeout(timer);
  }, [hoveredButton]);

  function hide(): void {
    setHoveredButton(undefined);
    setAnchor(undefined);
  }

  return (
    <>
      {cloneElement(children, {
        onPointerEnter: (event) => {
          onPointerEnter?.(event);
          if (event.pointerType === "mouse" && matchMedia("(any-hover: hover)").matches)
            setHoveredButton(event.currentTarget);
        },
        onPointerLeave: (event) => {
          onPointerLeave?.(event);
          hide();
        },
        onPointerDown: (event) => {
          onPointerDown?.(event);
          hide();
        },
        // Only if the user moved the focus here. When the app moves it, for example into a dialog that opens, a tooltip
        // would be in the way.
        onKeyUp: (event) => {
          onKeyUp?.(event);
          if (event.key === "Tab" && !hasOpenMenu(event.currentTarget)) setAnchor(event.currentTarget);
        },
        onBlur: (event) => {
          onBlur?.(event);
          hide();
        },
        onClick: (event) => {
          onClick?.(event);
          hide();
        },
      })}
      {anchor && (
        <TooltipText anchor={anchor} onHide={hide}>
          {content}
        </TooltipText>
      )}
    </>
  );
}

/** No tooltip covers an open menu. A menu that mounts when it opens has a new trigger, which the pointer enters. */
const hasOpenMenu = (button: HTMLElement): boolean => button.matches("[aria-haspopup][aria-expanded=true]");

function TooltipText({ anchor, onHide, children }: { anchor: HTMLElement; onHide: () => void; children: ReactNode }) {
  const container = useOverlayContainer();
  const text = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const element = text.current;
    if (!element) return;
    // In the top layer, neither a scrolling container nor an open dialog covers it.
    element.showPopover();
    const button = anchor.getBoundingClientRect();
    const { width, height } = element.getBoundingClientRect();
    const fitsBelow = button.bottom + gap + height + margin <= innerHeight;
    const center = button.left + button.width / 2 - width / 2;
    element.style.top = `${fitsBelow ? button.bottom + gap : button.top - gap - height}px`;
    element.style.left = `${Math.max(margin, Math.min(center, innerWidth - margin - width))}px`;
  }, [anchor]);

  useEffect(() => {
    const hideOnEscape = ({ key }: KeyboardEvent): void => void (key === "Escape" && onHide());
    document.addEventListener("keydown", hideOnEscape);
    document.addEventListener("scroll", onHide, { capture: true, passive: true });
    return () => {
      document.removeEventListener("keydown", hideOnEscape);
      document.removeEventListener("scroll", onHide, { capture: true });
    };
  });

  return createPortal(
    <div
      ref={text}
      popover="manual"
      role="tooltip"
      className="pointer-events-none inset-auto m-0 max-w-64 animate-fade items-center gap-2 overflow-visible rounded-md border-0 bg-ink px-2 py-1 text-xs text-paper open:flex forced-colors:border"
    >
      {children}
    </div>,
    container ?? document.body,
  );
}
