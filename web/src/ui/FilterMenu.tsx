import { ChevronDown, X, type LucideIcon } from "lucide-react";
import type { MouseEvent, ReactNode } from "react";
import { Button } from "./Button.tsx";
import { Menu, MenuRadioGroup, MenuRadioItem } from "./Menu.tsx";

/** Small buttons as high as the search field beside them. */
export const filterButtonClasses = "min-h-control!";

/** The look of a filter that is on. */
export const activeFilterClasses = "border-accent! bg-wash! text-accent!";

interface FilterProps {
  /** What it filters by, such as “Tag”. */
  name: string;
  icon: LucideIcon;
  /** The name of the chosen value; undefined without a filter. */
  valueLabel: string | undefined;
  menuClassName?: string;
  children: ReactNode;
}

/** A filter of a list: a button that opens a menu and, while the filter is on, one that clears it. */
export function FilterMenu({
  name,
  icon,
  valueLabel,
  menuClassName = "w-56",
  onClear,
  children,
}: FilterProps & { onClear: () => void }) {
  const isActive = valueLabel !== undefined;

  function clear({ currentTarget }: MouseEvent<HTMLElement>): void {
    // The pressed button disappears, so the focus moves to the menu's button.
    currentTarget.parentElement?.querySelector("button")?.focus();
    onClear();
  }

  return (
    <span className="inline-flex max-w-64" data-active={isActive || undefined}>
      <Menu
        label={`Filter by ${toLowerCase(name)}`}
        align="start"
        className={menuClassName}
        trigger={
          <Button
            variant="quiet"
            size="small"
            icon={icon}
            aria-label={isActive ? `${name}: ${valueLabel}` : undefined}
            className={`${filterButtonClasses} min-w-0 max-sm:px-2.5! ${isActive ? `rounded-r-none border-r-0! ${activeFilterClasses}` : ""}`}
          >
            <span className="min-w-0 truncate">{valueLabel ?? name}</span>
            <ChevronDown size={14} className={`flex-none ${isActive ? "" : "text-muted"}`} aria-hidden="true" />
          </Button>
        }
      >
        {children}
      </Menu>
      {isActive && (
        <Button
          variant="quiet"
          size="small"
          aria-label={`Clear ${toLowerCase(name)} filter: ${valueLabel}`}
          title={`Clear ${toLowerCase(name)} filter`}
          className={`${filterButtonClasses} flex-none rounded-l-none border-l-0! px-1.5! pointer-coarse:px-3! ${activeFilterClasses}`}
          onClick={clear}
        >
          <X size={14} aria-hidden="true" />
        </Button>
      )}
    </span>
  );
}

/** The menu's value for no filter. No other value starts with a space. */
const anyValue = " ";

/** A filter by one value. Its children are `MenuRadioItem`s. */
export function FilterRadioMenu<Value extends string>({
  value,
  anyLabel,
  onChange,
  children,
  ...filter
}: FilterProps & {
  value: Value | undefined;
  /** The item for no filter, such as “All tags”. */
  anyLabel: string;
  onChange: (value: Value | undefined) => void;
}) {
  return (
    <FilterMenu {...filter} onClear={() => onChange(undefined)}>
      <MenuRadioGroup<Value | typeof anyValue>
        label={filter.name}
        value={value ?? anyValue}
        onChange={(next) => onChange(next === anyValue ? undefined : next)}
      >
        <MenuRadioItem value={anyValue}>{anyLabel}</MenuRadioItem>
        {children}
      </MenuRadioGroup>
    </FilterMenu>
  );
}

/** Keeps acronyms, as in “AI client”. */
const toLowerCase = (name: string): string => (/^[A-Z][A-Z]/.test(name) ? name : name.toLowerCase());
