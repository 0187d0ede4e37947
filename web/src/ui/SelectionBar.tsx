import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "./IconButton.tsx";

/**
 * The actions for the selected items of a list, at the bottom of the window; nothing while none are selected. On a phone,
 * the actions have a line of their own, so that there is room for their labels.
 */
export function SelectionBar({
  count,
  total,
  onClear,
  children,
}: {
  count: number;
  /** How many items could be selected, if that is known. */
  total?: number | undefined;
  onClear: () => void;
  children: ReactNode;
}) {
  const label = total !== undefined && total > count ? `${count} of ${total} selected` : `${count} selected`;
  return (
    <>
      <p role="status" className="sr-only">
        {count > 0 && label}
      </p>
      {count > 0 && (
        <section
          aria-label="Selection"
          data-selection-bar
          className="fixed bottom-4 left-1/2 z-20 flex w-max max-w-[calc(100vw-1rem)] -translate-x-1/2 animate-fade flex-wrap items-center gap-1.5 rounded-lg bg-raised p-1.5 shadow-overlay max-sm:w-full md:left-[calc(50%+var(--sidebar-width)/2)]"
        >
          <p className="m-0 px-2 font-medium whitespace-nowrap tabular-nums max-sm:flex-1">{label}</p>
          <div className="contents max-sm:order-last max-sm:flex max-sm:w-full max-sm:flex-wrap max-sm:gap-1.5 max-sm:*:flex-auto">
            {children}
          </div>
          <IconButton icon={X} label="Clear selection" onClick={onClear} />
        </section>
      )}
    </>
  );
}

/** The label of an action; on a phone, only its main word is visible. */
export const BarLabel = ({ children, shortLabel }: { children: string; shortLabel: string }) => (
  <>
    <span className="sm:hidden" aria-hidden="true">
      {shortLabel}
    </span>
    <span className="max-sm:sr-only">{children}</span>
  </>
);
