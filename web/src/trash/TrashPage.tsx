import { Trash2 } from "lucide-react";
import { emptyTrash } from "../api/mutations.ts";
import { countTrash, trashQuery } from "../api/history-queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { useConfirm } from "../ui/Confirm.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { List, PagedList } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { useAction } from "../ui/use-action.ts";
import { TrashRow } from "./TrashRow.tsx";

export function TrashPage() {
  const { studio, may } = useStudio();
  const trash = usePagedList(trashQuery(studio.id));
  const { error, isRunning, confirmEmpty } = useEmptyTrash();
  return (
    <>
      <PageHeader
        title="Trash"
        actions={
          may("trash.empty") &&
          trash.items.length > 0 && (
            <Button variant="dangerOutline" onClick={confirmEmpty} busyLabel={isRunning && "Counting…"}>
              Empty trash
            </Button>
          )
        }
      >
        Deleted posts and files stay here for 30 days and count toward the studio’s storage. Restoring brings them back
        as they were; canceled publications stay canceled.
      </PageHeader>
      {error !== undefined && <ErrorMessage error={error} />}
      <PagedList list={trash} empty={<EmptyState title="The trash is empty" icon={Trash2} />}>
        {(items) => (
          <List aria-label="Trash">
            {items.map((item) => (
              <TrashRow key={item.id} item={item} />
            ))}
          </List>
        )}
      </PagedList>
    </>
  );
}

/** Counts the items first, so that the user knows what will be deleted. */
function useEmptyTrash() {
  const { studio } = useStudio();
  const confirm = useConfirm();
  const { isRunning, error, run } = useAction();
  return {
    isRunning,
    error,
    confirmEmpty: () =>
      void run(async () => {
        const items = formatItemCount(await countTrash(studio.id));
        confirm({
          title: `Permanently delete ${items}?`,
          body: (
            <p>
              No one can restore what you delete here, not even by undoing an AI client’s changes. Files attached to
              deleted posts are deleted too.
            </p>
          ),
          action: `Delete ${items}`,
          busyLabel: "Deleting…",
          run: () => emptyTrash({ studioId: studio.id }),
        });
      }),
  };
}

function formatItemCount({ count, hasMore }: { count: number; hasMore: boolean }): string {
  if (hasMore) return `more than ${count.toLocaleString("en")} items`;
  return count === 1 ? "1 item" : `${count.toLocaleString("en")} items`;
}
