import { DropdownMenu as Radix } from "radix-ui";
import type { ComponentProps, ReactElement, ReactNode, Ref } from "react";
import { RadixMenuContext } from "./menu-context.ts";
import { overlayClasses, useOverlayContainer } from "./overlay.ts";

export interface MenuProps {
  /** The accessible name: what the actions are for. */
  label: string;
  trigger: ReactElement<ComponentProps<"button">>;
  align?: "start" | "center" | "end";
  side?: "top" | "right" | "bottom" | "left";
  className?: string;
  children: ReactNode;
}

/**
 * A menu with its trigger. `Menu` loads it on demand, because it would add about a tenth to the first page's script.
 */
export function MountedMenu({
  ref,
  label,
  trigger,
  align = "end",
  side,
  isInitiallyOpen,
  className = "w-56",
  children,
}: MenuProps & { ref: Ref<HTMLButtonElement>; isInitiallyOpen: boolean }) {
  return (
    <RadixMenuContext value={Radix}>
      {/* A modal menu injects a style element to block scrolling, which our Content Security Policy forbids. */}
      <Radix.Root modal={false} defaultOpen={isInitiallyOpen}>
        <Radix.Trigger asChild ref={ref}>
          {trigger}
        </Radix.Trigger>
        <Radix.Portal container={useOverlayContainer()}>
          <Radix.Content
            aria-label={label}
            aria-labelledby={undefined}
            align={align}
            side={side}
            sideOffset={6}
            collisionPadding={8}
            // React events bubble through the portal: without this, a press in the menu of a card drags the card.
            onMouseDown={(event) => event.stopPropagation()}
            onTouchStart={(event) => event.stopPropagation()}
            className={`${overlayClasses} max-h-(--radix-dropdown-menu-content-available-height) overflow-y-auto p-1 ${className}`}
          >
            {children}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </RadixMenuContext>
  );
}
