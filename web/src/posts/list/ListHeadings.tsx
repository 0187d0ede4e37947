import type { Columns } from "./columns.ts";
import type { RowLayout } from "./use-row-layout.ts";

/** The headings of the columns. Hidden from screen readers, which don’t connect them with the values of a list. */
export function ListHeadings({ columns, layout }: { columns: Columns; layout: RowLayout }) {
  if (layout === "narrow") return null;
  return (
    <span aria-hidden="true" className="ml-auto flex flex-none items-center gap-x-3">
      {layout === "wide" && columns.accounts !== undefined && <span className={columns.accounts}>Account</span>}
      {layout === "wide" && columns.review !== undefined && <span className={columns.review}>Review</span>}
      <span className={columns.author}>
        <span className="@max-5xl:hidden">Author</span>
      </span>
      <span className={columns.state}>State</span>
      <span className={columns.time}>Date</span>
      {/* As wide as the button of a row's menu. */}
      <span className="w-control-small" />
    </span>
  );
}
