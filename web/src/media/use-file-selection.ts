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
  /** Ends the selection mode and moves the focus, because the focused checkbox or button disappears. */
  clear: () => void;
}

/** The selection mode of a post's files, with the same keys as in the library. */
export function useFileSelection(
  assets: readonly Asset[],
  { canEdit, focusHeading }: { canEdit: boolean; focusHeading: () => void },
): FileSelection {
  const readyIds = assets.filter(({ status }) => status === "ready").map(({ id }) => id);
  const selection = useSelection(readyIds);
  const [isStarted, setIsStarted] = useState(false);
  const toggleButton = useRef<HTMLButtonElement>(null);
  const isActive = isStarted && canEdit && readyIds.length > 0;
  const hasSeveralFiles = readyIds.length > 1;
  // Otherwise, the next file to arrive would start the selection mode again.
  if (isStarted && !isActive) setIsStarted(false);

  const stop = () => setIsStarted(false);

  const fileSelection: FileSelection = {
    ...selection,
    isActive,
    // A single file has its own menu.
    isAvailable: isActive || (canEdit && hasSeveralFiles),
    toggleButton,
    start: () => {
      selection.clear();
      setIsStarted(true);
    },
    selectAll: () => selection.set(readyIds),
    stop,
    clear: () => {
      stop();
      // With a single file, the button disappears too.
      if (hasSeveralFiles) toggleButton.current?.focus({ preventScroll: true });
      else focusHeading();
    },
  };
  useSelectionKeys({ selection: fileSelection, ids: readyIds, itemName: "file", group: "Post", isEnabled: isActive });
  return fileSelection;
}
