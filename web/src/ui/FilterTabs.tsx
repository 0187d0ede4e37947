import { Link, type LinkProps } from "@tanstack/react-router";
import { ScrollStrip } from "./ScrollStrip.tsx";
import { tabClasses, tabListClasses } from "./tab-classes.ts";

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
    <ScrollStrip scrolls="phone">
      <nav aria-label={label} className={`${tabListClasses} max-sm:flex-none max-sm:flex-nowrap`}>
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
    </ScrollStrip>
  );
}
