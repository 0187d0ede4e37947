import { SlidersHorizontal } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import { IconButton } from "./IconButton.tsx";
import { ScrollStrip } from "./ScrollStrip.tsx";

/**
 * The tabs, the search and the filters of a list, for a container that wraps. On a phone, a button beside the search
 * shows the filters; active ones are always shown.
 */
export function FilterBar({
  tabs,
  search,
  hasActiveFilter,
  children,
}: {
  /** `FilterTabs`, in a row of their own. */
  tabs?: ReactNode;
  /** A `SearchField`. */
  search: ReactNode;
  hasActiveFilter: boolean;
  /** The filters: small buttons and menus. */
  children: ReactNode;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const filtersId = useId();
  return (
    <>
      {tabs !== undefined && <div className="min-w-0 basis-full">{tabs}</div>}
      <div className="contents max-sm:flex max-sm:basis-full max-sm:gap-2">
        {search}
        {!hasActiveFilter && (
          <IconButton
            icon={SlidersHorizontal}
            label="Filters"
            className="size-11 flex-none sm:hidden"
            aria-expanded={isOpen}
            aria-controls={filtersId}
            onClick={() => setIsOpen(!isOpen)}
          />
        )}
      </div>
      <div
        id={filtersId}
        className={`contents ${isOpen || hasActiveFilter ? "max-sm:block max-sm:min-w-0 max-sm:basis-full" : "max-sm:hidden"}`}
      >
        <ScrollStrip scrolls="phone">
          <div className="contents max-sm:flex max-sm:flex-none max-sm:gap-2 max-sm:*:flex-none">{children}</div>
        </ScrollStrip>
      </div>
    </>
  );
}
