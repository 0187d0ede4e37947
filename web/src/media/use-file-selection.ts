import { useRef, useState, type RefObject } from "react";
import { useSelection, type Selection } from "../bulk/use-selection.ts";
import { useSelectionKeys } from "../bulk/use-selection-keys.ts";
import type { Asset } from "../api/queries.ts";

export interface FileSelection extends Selection {
  /** Whether to offer the selection mode. */
  isAvailable: boolean;
  /** Whether the tiles select files instead of opening them. */
  isActive: boolean;
  /** The button that starts and ends the selection mode. */
  toggleButton: RefObject<HTMLButtonElement | null>;
  start: () => void;
  selectAll: () => void;
  stop: () => void;
  /** Ends the selection mode and focuses its button, because the focused checkbox or button disappears. */
  clear: () => void;
}

/** The selection mode of a post's files, with the same keys as in the library. */
export function useFileSelection(assets: readonly Asset[], canEdit: boolean): FileSelection {
  const readyIds = assets.filter(({ status }) => status === "ready").map(({ id }) => id);
  const selection = useSelection(readyIds);
  const [isStarted, setIsStarted] = useState(false);
  const toggleButton = useRef<HTMLButtonElement>(null);
  const isActive = isStarted && canEdit && readyIds.length > 0;

  function stop(): void {
    selection.clear();
    setIsStarted(false);
  }

  const fileSelection: FileSelection = {
    ...selection,
    isActive,
    // A single file has its own menu.
    isAvailable: isActive || (canEdit && readyIds.length > 1),
    toggleButton,
    start: () => setIsStarted(true),
    selectAll: () => selection.set(readyIds),
    stop,
    clear: () => {
      stop();
      toggleButton.current?.focus({ preventScroll: true });
    },
  };
  useSelectionKeys({ selection: fileSelection, ids: readyIds, itemName: "file", group: "Post", isEnabled: isActive });
  return fileSelection;
}
