import { createContext, use, useCallback, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { isForShortcuts, readKeyPress } from "./shortcut-keys.ts";
import { ShortcutContext, type Shortcut } from "./use-shortcut.ts";

/** How long the second key of a sequence such as "g p" may take. */
const sequenceTimeoutMs = 1500;
const storageKey = "single-key-shortcuts";

interface ShortcutSettings {
  shortcuts: readonly Shortcut[];
  /** WCAG 2.1.4: users of speech input need to turn off shortcuts without Ctrl or ⌘, including sequences. */
  areUnmodifiedKeysOn: boolean;
  setUnmodifiedKeysOn: (isOn: boolean) => void;
}

const SettingsContext = createContext<ShortcutSettings>({
  shortcuts: [],
  areUnmodifiedKeysOn: true,
  setUnmodifiedKeysOn: () => {},
});

/** The registered shortcuts, for the help sheet and the command palette. */
export const useShortcutSettings = (): ShortcutSettings => use(SettingsContext);

export function ShortcutProvider({ children }: { children: ReactNode }) {
  const [shortcuts, setShortcuts] = useState<readonly Shortcut[]>([]);
  const [areUnmodifiedKeysOn, setAreUnmodifiedKeysOn] = useState(() => localStorage.getItem(storageKey) !== "off");
  const register = useCallback((shortcut: Shortcut) => {
    setShortcuts((current) => [...current, shortcut]);
    return () => setShortcuts((current) => current.filter((other) => other !== shortcut));
  }, []);
  const setUnmodifiedKeysOn = useCallback((isOn: boolean) => {
    if (isOn) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, "off");
    setAreUnmodifiedKeysOn(isOn);
  }, []);
  useKeyListener(shortcuts, areUnmodifiedKeysOn);
  const settings = useMemo(
    () => ({ shortcuts, areUnmodifiedKeysOn, setUnmodifiedKeysOn }),
    [shortcuts, areUnmodifiedKeysOn, setUnmodifiedKeysOn],
  );
  return (
    <ShortcutContext value={register}>
      <SettingsContext value={settings}>{children}</SettingsContext>
    </ShortcutContext>
  );
}

function useKeyListener(shortcuts: readonly Shortcut[], areUnmodifiedKeysOn: boolean): void {
  const firstPress = useRef({ key: "", at: 0 });
  useLayoutEffect(() => {
    function handleKey(event: KeyboardEvent): void {
      const press = readKeyPress(event);
      if (press === undefined || !isForShortcuts(event, press)) return;
      const isInSequence = event.timeStamp - firstPress.current.at < sequenceTimeoutMs;
      const candidates = isInSequence ? [`${firstPress.current.key} ${press}`, press] : [press];
      const activeShortcuts = shortcuts.filter(({ keys }) => areUnmodifiedKeysOn || keys?.startsWith("mod+"));
      // The last registered shortcut wins: it belongs to the page, which is inside of the layout.
      const match = candidates
        .map((candidate) => activeShortcuts.findLast(({ keys }) => keys === candidate))
        .find((shortcut) => shortcut !== undefined);
      if (event.repeat && !match?.canRepeat) return;
      firstPress.current = match ? { key: "", at: 0 } : { key: press, at: event.timeStamp };
      if (!match) return;
      event.preventDefault();
      match.run();
    }
    document.addEventListener("keydown", handleKey);
    return () => document.removeEventListener("keydown", handleKey);
  }, [shortcuts, areUnmodifiedKeysOn]);
}
