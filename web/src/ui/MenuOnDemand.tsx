import type { LucideIcon } from "lucide-react";
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { IconButton, PlainIconButton } from "./IconButton.tsx";
import { Menu } from "./Menu.tsx";

/**
 * A menu with an icon button, for the rows of a long list: until the user points at the button, focuses it or presses
 * it, there is only the button, because mounting a menu and a tooltip for each row delays scrolling.
 */
export function MenuOnDemand({
  icon,
  label,
  children,
}: {
  icon: LucideIcon;
  /** The accessible name of the button and the menu. */
  label: string;
  children: () => ReactNode;
}) {
  const [state, setState] = useState<"plain" | "closed" | "open">("plain");
  const button = useRef<HTMLButtonElement>(null);
  const wasFocused = useRef(false);

  // The button with a menu is another element than the plain one.
  useLayoutEffect(() => {
    if (state === "closed" && wasFocused.current) button.current?.focus({ preventScroll: true });
  }, [state]);

  if (state === "plain")
    return (
      <PlainIconButton
        icon={icon}
        size="small"
        label={label}
        aria-haspopup="menu"
        aria-expanded={false}
        onFocus={({ currentTarget }) => {
          // A press also focuses the button, but then the button must stay until the click.
          if (!currentTarget.matches(":focus-visible")) return;
          wasFocused.current = true;
          setState("closed");
        }}
        onPointerEnter={({ pointerType }) => {
          // At once: a press on a button that is replaced before the click would do nothing.
          if (pointerType === "mouse") flushSync(() => setState("closed"));
        }}
        onClick={() => setState("open")}
      />
    );
  return (
    <Menu
      label={label}
      isInitiallyOpen={state === "open"}
      trigger={<IconButton ref={button} icon={icon} size="small" label={label} />}
    >
      {children()}
    </Menu>
  );
}
