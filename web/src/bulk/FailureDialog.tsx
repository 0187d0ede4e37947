import { Button } from "../ui/Button.tsx";
import { Dialog, DialogActions } from "../ui/Dialog.tsx";
import type { BulkFailure } from "./run-bulk.ts";

/** Lists the items that a bulk action could not change, and why. */
export function FailureDialog<Item extends { id: string }>({
  title,
  failures,
  getName,
  onClose,
}: {
  title: string;
  failures: readonly BulkFailure<Item>[];
  getName: (item: Item) => string;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <ul className="mt-3 max-h-[50vh] divide-y divide-rule overflow-auto">
        {failures.map(({ item, message }) => (
          <li key={item.id} className="py-2 [overflow-wrap:anywhere]">
            <p className="m-0 font-medium">{getName(item)}</p>
            <p className="m-0 text-sm text-muted">{message}</p>
          </li>
        ))}
      </ul>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
