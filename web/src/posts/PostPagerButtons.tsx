import { ChevronDown, ChevronUp } from "lucide-react";
import { useEffect, useRef, type RefObject } from "react";
import { IconButton } from "../ui/IconButton.tsx";
import type { PostPager } from "./use-post-pager.ts";

/** The button that the user pressed to open this post, if any. */
export type PressedPager = RefObject<"previous" | "next" | undefined>;

/** Absent if the post is not in the list that the user came from, or is alone in it. */
export function PostPagerButtons({
  pager: { openPrevious, openNext },
  pressedPager,
}: {
  pager: PostPager;
  pressedPager: PressedPager;
}) {
  const previousButton = useRef<HTMLButtonElement>(null);
  const nextButton = useRef<HTMLButtonElement>(null);
  const hasButtons = openPrevious !== undefined || openNext !== undefined;

  // Each post has buttons of its own, so the focus was lost. At the end of the list, the other button gets it.
  useEffect(() => {
    if (!hasButtons || pressedPager.current === undefined) return;
    const buttons = [previousButton.current, nextButton.current];
    if (pressedPager.current === "next") buttons.reverse();
    pressedPager.current = undefined;
    if (document.activeElement === document.body || document.activeElement?.id === "main")
      buttons.find((button) => button?.disabled === false)?.focus({ preventScroll: true });
  }, [hasButtons, pressedPager]);

  function open(button: "previous" | "next", openPost: (() => void) | undefined): void {
    pressedPager.current = button;
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
