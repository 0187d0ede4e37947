import { Link, type LinkProps } from "@tanstack/react-router";

export interface FilterTab {
  label: string;
  link: LinkProps;
  current: boolean;
}

/** Links to the same list with different filters. */
export function FilterTabs({ label, tabs }: { label: string; tabs: readonly FilterTab[] }) {
  return (
    <nav aria-label={label} className="tabs">
      {tabs.map((tab) => (
        <Link
          key={tab.label}
          {...tab.link}
          className={tab.current ? "current" : ""}
          aria-current={tab.current ? "page" : undefined}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
