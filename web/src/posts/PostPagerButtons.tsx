import { ChevronDown, ChevronUp } from "lucide-react";
import { useEffect, useRef, type RefObject } from "react";
import { IconButton } from "../ui/IconButton.tsx";
import type { PostPager } from "./use-post-pager.ts";

/** The button with which the user opened this post, until the focus has returned to it. */
export type PressedPagerButton = RefObject<"previous" | "next" | undefined>;

/** Opens the previous or next post of the list that the user came from. */
export function PostPagerButtons({
  pager: { openPrevious, openNext },
  pressedPagerButtonRef,
}: {
  pager: PostPager;
  pressedPagerButtonRef: PressedPagerButton;
}) {
  const previousButton = useRef<HTMLButtonElement>(null);
  const nextButton = useRef<HTMLButtonElement>(null);
  const hasButtons = openPrevious !== undefined || openNext !== undefined;

  // The pressed button was unmounted with the previous post, so its replacement gets the focus; at the end of the list,
  // where it is disabled, the other button.
  useEffect(() => {
    if (!hasButtons || pressedPagerButtonRef.current === undefined) return;
    const buttons = [previousButton.current, nextButton.current];
    if (pressedPagerButtonRef.current === "next") buttons.reverse();
    pressedPagerButtonRef.current = undefined;
    if (document.activeElement === document.body || document.activeElement?.id === "main")
      buttons.find((button) => button?.disabled === false)?.focus({ preventScroll: true });
  }, [hasButtons, pressedPagerButtonRef]);

  function open(button: "previous" | "next", openPost: (() => void) | undefined): void {
    pressedPagerButtonRef.current = button;
    openPost?.();
  }

  if (!hasButtons) return null;
  return (
    <span className="flex flex-none">
      <IconButton
        ref={previousButton}
        icon={ChevronUp}
        label="Previous post"
        shortcut="k"
        disabled={!openPrevious}
        onClick={() => open("previous", openPrevious)}
      />
      <IconButton
        ref={nextButton}
        icon={ChevronDown}
        label="Next post"
        shortcut="j"
        disabled={!openNext}
        onClick={() => open("next", openNext)}
      />
    </span>
  );
}
