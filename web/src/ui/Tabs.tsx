import { Link, type LinkProps } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";
import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";

export const tabListClasses = "flex flex-wrap gap-x-1";

/** For links and for Radix's triggers, which also set `data-state`. */
export const tabClasses =
  "relative inline-flex min-h-control cursor-pointer items-center gap-1.5 rounded-md px-2.5 font-medium whitespace-nowrap text-muted no-underline hover:text-ink data-[state=active]:bg-hover data-[state=active]:text-ink forced-colors:data-[state=active]:outline-2";

interface TabItem<Value extends string> {
  value: Value;
  label: string;
  icon?: LucideIcon;
  /** Shown after the label, such as a count. */
  detail?: ReactNode;
  content: ReactNode;
}

/** Views of one thing, of which one is visible. A choice that filters a list is a `FilterTabs` or a `SegmentedControl`. */
export function Tabs<Value extends string>({
  label,
  value,
  tabs,
  onChange,
}: {
  label: string;
  value: Value;
  tabs: readonly TabItem<Value>[];
  onChange: (value: Value) => void;
}) {
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as Value)}>
      <Radix.List aria-label={label} className={tabListClasses}>
        {tabs.map(({ value: tabValue, label: text, icon: Icon, detail }) => (
          <Radix.Trigger key={tabValue} value={tabValue} className={tabClasses}>
            {Icon && <Icon size={16} className="flex-none" aria-hidden="true" />}
            {text}
            {detail !== undefined && <span className="text-sm text-muted">{detail}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ value: tabValue, content }) => (
        <Radix.Content key={tabValue} value={tabValue} className="pt-4">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

/** Links to one list with different filters. The first link, “All”, has no filter. */
export function FilterTabs<Value extends string>({
  label,
  current,
  options,
  getLink,
}: {
  label: string;
  current: Value | undefined;
  options: readonly (readonly [value: Value, label: string])[];
  getLink: (value: Value | undefined) => LinkProps;
}) {
  return (
    <nav aria-label={label} className={`${tabListClasses} max-sm:flex-nowrap max-sm:overflow-x-auto`}>
      {([[undefined, "All"], ...options] as const).map(([value, text]) => (
        <Link
          key={text}
          {...getLink(value)}
          activeOptions={{ exact: true }}
          className={tabClasses}
          data-state={value === current ? "active" : "inactive"}
          aria-current={value === current ? "page" : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
