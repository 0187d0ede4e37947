import { Popover as Radix } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { overlayClasses, useOverlayContainer } from "./overlay.ts";

/** A small panel of controls, opened by its trigger. A task of several steps belongs in a `Dialog`. */
export function Popover({
  label,
  trigger,
  align = "start",
  isOpen,
  onOpenChange,
  className = "w-72 p-4",
  children,
}: {
  label: string;
  trigger: ReactElement;
  align?: "start" | "center" | "end";
  /** Without it, the popover itself stores whether it is open. */
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  className?: string;
  children: ReactNode;
}) {
  return (
    <Radix.Root
      {...(isOpen === undefined ? {} : { open: isOpen })}
      {...(onOpenChange === undefined ? {} : { onOpenChange })}
    >
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={useOverlayContainer()}>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className={`${overlayClasses} max-h-(--radix-popover-content-available-height) overflow-y-auto outline-none ${className}`}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
