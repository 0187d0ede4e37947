import { Link, type LinkProps } from "@tanstack/react-router";

export const tabListClasses = "flex flex-wrap gap-x-7";

/** For links and for Radix's triggers, which also set `data-state`. */
export const tabClasses =
  "cursor-pointer border-b-2 border-transparent py-2 text-muted no-underline hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink forced-colors:not-data-[state=active]:border-[Canvas]";

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
    <nav aria-label={label} className={tabListClasses}>
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
