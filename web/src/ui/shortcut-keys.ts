import { isComposing } from "./is-composing.ts";

const isApple = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Formats keys such as "mod+k" or "g p" for this device: one text per key press. */
export function formatKeys(keys: string): string[] {
  return keys
    .split(" ")
    .map((press) =>
      press.startsWith("mod+")
        ? `${isApple() ? "⌘" : "Ctrl "}${press.slice(4).toUpperCase()}`
        : press.replace(/^[a-z]$/, (letter) => letter.toUpperCase()),
    );
}

/** Returns the key press in the notation of `useShortcut`; undefined for keys without a character and for other modifiers. */
export function readKeyPress(event: KeyboardEvent): string | undefined {
  if (event.key.length !== 1 || event.altKey) return undefined;
  const isMod = isApple() ? event.metaKey : event.ctrlKey;
  if (isMod) return `mod+${event.key.toLowerCase()}`;
  return event.metaKey || event.ctrlKey ? undefined : event.key.toLowerCase();
}

const overlaySelector = "dialog, [role=dialog], [role=menu], [role=listbox]";
const typingSelector = "input, textarea, select, [contenteditable]:not([contenteditable=false])";

/** False if the key press belongs to a control, a menu or a dialog. Shortcuts with a modifier also work while typing. */
export function isForShortcuts(event: KeyboardEvent, keyPress: string): boolean {
  if (event.defaultPrevented || isComposing(event)) return false;
  if (document.querySelector("dialog:modal") !== null) return false;
  const { target } = event;
  if (!(target instanceof Element)) return true;
  if (target.closest(overlaySelector) !== null) return false;
  return keyPress.startsWith("mod+") || !isTextControl(target);
}

const isTextControl = (target: Element): boolean =>
  target.closest(typingSelector) !== null &&
  !(target instanceof HTMLInputElement && ["checkbox", "radio", "button", "submit"].includes(target.type));
