import type { ComponentProps, ReactNode } from "react";
import type { ListQuery } from "../api/use-paged-list.ts";
import { Button } from "./Button.tsx";
import { Loading } from "./Loading.tsx";
import { QueryStatus } from "./QueryStatus.tsx";

/** Rows with a line between them. */
export function List({ className = "", ...rest }: ComponentProps<"ul">) {
  return <ul {...rest} className={`divide-y divide-rule border-y border-rule empty:hidden ${className}`} />;
}

/** For a `List` in a card. At the end of the card, the card's edge and padding are enough. */
export const cardListClasses = "border-b-0 last:[&>li:last-child]:pb-0";

/** A row of a `List`: content on the left, `RowActions` on the right or, on narrow screens, below. */
export function ListRow({
  align = "center",
  isActionBeside = false,
  className = "",
  ...rest
}: ComponentProps<"li"> & {
  align?: "center" | "baseline";
  /** Whether the actions stay on the right on narrow screens, which have room for one short button. */
  isActionBeside?: boolean;
}) {
  return (
    <li
      {...rest}
      className={`grid gap-x-3 gap-y-2 py-2.5 sm:grid-cols-[minmax(0,1fr)_auto] sm:gap-x-6 ${isActionBeside ? "grid-cols-[minmax(0,1fr)_auto]" : "grid-cols-1"} ${align === "center" ? "items-center" : "items-baseline"} ${className}`}
    />
  );
}

export function RowActions({
  areSmallOnPhones = false,
  isColumnOnPhone = false,
  children,
}: {
  /** For rows with up to three buttons, which then fit on one line. */
  areSmallOnPhones?: boolean;
  /** Whether they stand one below the other on a phone, at the right edge. */
  isColumnOnPhone?: boolean;
  children: ReactNode;
}) {
  return (
    <div
      className={`flex flex-wrap items-center gap-2 empty:hidden ${areSmallOnPhones ? "max-sm:*:px-2 max-sm:*:text-sm" : ""} ${isColumnOnPhone ? "max-sm:flex-col max-sm:items-end" : ""}`}
    >
      {children}
    </div>
  );
}

/** Details of a row by their label, in columns below it. */
export function RowDetails({ details }: { details: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="order-3 col-span-full grid grid-cols-[8fr_8fr_6fr_6fr_6fr_7fr] gap-x-4 gap-y-2 max-sm:order-none max-sm:grid-cols-[3fr_2fr] sm:max-xl:pointer-coarse:grid-cols-3">
      {Object.entries(details).map(([label, value]) => (
        <div key={label} className="min-w-0">
          <dt className="text-sm text-muted">{label}</dt>
          <dd className="[overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The loaded items of a list, its loading, error and empty states, and the button for the next page. */
export function PagedList<Item>({
  list: { query, items, isAutoLoading },
  empty,
  moreLabel = "Show more",
  autoLoadingLabel,
  children,
}: {
  list: ListQuery<Item>;
  empty: ReactNode;
  moreLabel?: string;
  /** Shown while the next page loads without a click. */
  autoLoadingLabel?: string;
  children: (items: readonly Item[]) => ReactNode;
}) {
  return (
    <>
      <QueryStatus query={query} />
      {items.length > 0 && children(items)}
      {query.isSuccess && items.length === 0 && !query.hasNextPage && empty}
      {isAutoLoading && <Loading label={autoLoadingLabel} />}
      {query.hasNextPage && !isAutoLoading && (
        <p className="mt-4">
          <Button
            variant="quiet"
            onClick={() => void query.fetchNextPage()}
            busyLabel={query.isFetchingNextPage && "Loading…"}
          >
            {moreLabel}
          </Button>
        </p>
      )}
    </>
  );
}
