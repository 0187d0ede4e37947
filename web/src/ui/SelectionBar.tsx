import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "./IconButton.tsx";

/** The actions for the selected items of a list, at the bottom of the window; nothing while none are selected. */
export function SelectionBar({
  count,
  onClear,
  children,
}: {
  count: number;
  onClear: () => void;
  children: ReactNode;
}) {
  return (
    <>
      <p role="status" className="sr-only">
        {count > 0 && `${count} selected`}
      </p>
      {count > 0 && (
        <section
          aria-label="Selection"
          data-selection-bar
          className="fixed bottom-4 left-1/2 z-20 flex w-max max-w-[calc(100vw-1rem)] -translate-x-1/2 animate-fade flex-wrap items-center gap-1.5 rounded-lg bg-raised p-1.5 shadow-overlay md:left-[calc(50%+var(--sidebar-width)/2)]"
        >
          <p className="m-0 px-2 font-medium whitespace-nowrap tabular-nums">{count} selected</p>
          {children}
          <IconButton icon={X} label="Clear selection" onClick={onClear} />
        </section>
      )}
    </>
  );
}
