import type { LucideIcon } from "lucide-react";
import { createContext, use, useEffectEvent, useLayoutEffect } from "react";

export interface Shortcut {
  /** One key ("n"), two in a row ("g p"), or a key with Ctrl or ⌘ ("mod+k"); undefined for a command without keys. */
  keys?: string | undefined;
  /** Listed in the command palette and, with its keys, in the help sheet. */
  label: string;
  /** The heading in the help sheet; "General" by default. */
  group?: string;
  /** Shown in the command palette. */
  icon?: LucideIcon | undefined;
  /** Whether the shortcut runs repeatedly while its key is held, such as one that moves the focus. */
  canRepeat?: boolean;
  /** Whether the shortcut acts on the focused element. The command palette, which has the focus itself, omits it. */
  needsFocus?: boolean;
  /** Whether the page already shows what the shortcut would show. The command palette omits it. */
  isCurrent?: boolean;
  run: () => void;
}

type Register = (shortcut: Shortcut) => () => void;

export const ShortcutContext = createContext<Register>(() => () => {});

/**
 * Registers a keyboard shortcut, or a command of the palette, while the component is mounted. A shortcut never runs in
 * a menu or dialog, and only one with Ctrl or ⌘ runs while the user types. With `isEnabled` false, it is not registered,
 * for example because the user may not perform the action.
 */
export function useShortcut({ isEnabled = true, ...shortcut }: Shortcut & { isEnabled?: boolean }): void {
  const register = use(ShortcutContext);
  const { keys, label, group = "General", icon, canRepeat = false, needsFocus = false, isCurrent = false } = shortcut;
  const run = useEffectEvent(shortcut.run);
  // Before the browser paints, so that a key works as soon as the user sees the page.
  useLayoutEffect(
    () =>
      isEnabled
        ? register({ keys, label, group, icon, canRepeat, needsFocus, isCurrent, run: () => run() })
        : undefined,
    [register, isEnabled, keys, label, group, icon, canRepeat, needsFocus, isCurrent],
  );
}
