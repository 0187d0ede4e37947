import { Tooltip as Radix } from "radix-ui";
import type { FocusEvent, ReactElement, ReactNode } from "react";
import { useOverlayContainer } from "./overlay.ts";

export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <Radix.Provider delayDuration={400} disableHoverableContent>
    {children}
  </Radix.Provider>
);

/** A short text for a mouse or the keyboard. It never holds what a touch user needs. */
export function Tooltip({
  content,
  side = "bottom",
  children,
}: {
  content: ReactNode;
  side?: "top" | "right" | "bottom" | "left";
  children: ReactElement;
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild onFocus={ignoreFocusByScript}>
        {children}
      </Radix.Trigger>
      <Radix.Portal container={useOverlayContainer()}>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-64 animate-fade items-center gap-2 rounded-md bg-ink px-2 py-1 text-xs text-paper forced-colors:border"
        >
          {content}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** A closing dialog returns the focus to its button; a tooltip there would only be in the way. */
function ignoreFocusByScript(event: FocusEvent<HTMLElement>): void {
  if (!event.currentTarget.matches(":focus-visible")) event.preventDefault();
}
