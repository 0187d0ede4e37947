import { useEffect, useEffectEvent } from "react";
import { useShortcut } from "../ui/use-shortcut.ts";
import type { Selection } from "./use-selection.ts";

/** X selects the focused item, Ctrl+A or ⌘A selects all listed items, and Escape clears the selection. */
export function useSelectionKeys({
  selection,
  ids,
  itemName,
  group,
  isEnabled,
}: {
  selection: Selection;
  /** The items that can be selected. */
  ids: readonly string[];
  itemName: string;
  /** The heading in the help sheet. */
  group: string;
  isEnabled: boolean;
}): void {
  useShortcut({
    keys: "x",
    label: `Select the focused ${itemName}`,
    group,
    isEnabled,
    needsFocus: true,
    run: () => {
      const focusedItem = document.activeElement?.closest("li");
      focusedItem?.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
    },
  });

  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    const isInControl =
      event.target instanceof Element &&
      event.target.closest("input:not([type=checkbox]), textarea, select, dialog, [role=menu], [role=dialog]") !== null;
    if (event.defaultPrevented || isInControl || document.querySelector("dialog:modal") !== null) return;
    if (event.key === "Escape") selection.clear();
    if (event.key.toLowerCase() === "a" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      selection.set(ids);
    }
  });
  useEffect(() => {
    if (!isEnabled) return;
    const listener = (event: KeyboardEvent) => handleKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [isEnabled]);
}
