import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";

export interface Selection {
  /** In the order in which they were selected. */
  ids: ReadonlySet<string>;
  /** With `isRange`, also changes all items between this one and the last toggled one. Stable across renders. */
  toggle: (id: string, isSelected: boolean, isRange: boolean) => void;
  set: (ids: Iterable<string>) => void;
  clear: () => void;
}

/** The selected items of a list. Items that left the list are no longer selected. */
export function useSelection(listedIds: readonly string[]): Selection {
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const lastToggledId = useRef<string | undefined>(undefined);
  const latestIds = useRef(listedIds);
  useLayoutEffect(() => {
    latestIds.current = listedIds;
  }, [listedIds]);

  const toggle = useCallback((id: string, isSelected: boolean, isRange: boolean) => {
    const allIds = latestIds.current;
    const [from, to] = [allIds.indexOf(lastToggledId.current ?? id), allIds.indexOf(id)];
    const range = isRange && from >= 0 ? allIds.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
    lastToggledId.current = id;
    setSelectedIds((current) => {
      const next = new Set(current);
      for (const rangeId of range) {
        if (isSelected) next.add(rangeId);
        else next.delete(rangeId);
      }
      return next;
    });
  }, []);

  const ids = useMemo(() => {
    if (selectedIds.size === 0) return selectedIds;
    const listed = new Set(listedIds);
    return new Set([...selectedIds].filter((id) => listed.has(id)));
  }, [listedIds, selectedIds]);

  function set(newIds: Iterable<string>): void {
    lastToggledId.current = undefined;
    setSelectedIds(new Set(newIds));
  }

  return { ids, toggle, set, clear: () => set([]) };
}
