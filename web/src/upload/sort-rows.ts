import type { Row } from "./row.ts";
import type { UploadItem } from "./upload-task.ts";

/** A status with a higher index comes first; those not listed come last. */
const firstStatuses: readonly UploadItem["status"][] = ["missing", "failed"];

const getPriority = ({ status }: UploadItem): number => firstStatuses.indexOf(status);

/** Shows first the files that failed, then those that the user must choose again, then the others as they were added. */
export function sortRows(list: HTMLElement, rows: ReadonlyMap<string, Row>, items: readonly UploadItem[]): void {
  let next = list.firstElementChild;
  for (const { key } of items.toSorted((a, b) => getPriority(b) - getPriority(a))) {
    const element = rows.get(key)?.element;
    if (!element) continue;
    if (element === next) next = element.nextElementSibling;
    else list.insertBefore(element, next);
  }
}
