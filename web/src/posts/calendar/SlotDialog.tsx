import { postSummariesQuery, type PostSummary } from "../../api/summary-queries.ts";
import { usePagedList } from "../../api/use-paged-list.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { formatAccount } from "../../platforms/format-account.ts";
import { usePlatformNames } from "../../publishing/use-platform-names.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog, DialogActions } from "../../ui/Dialog.tsx";
import { formatTime } from "../../ui/format-time.ts";
import { QueryStatus } from "../../ui/QueryStatus.tsx";
import { PostStateBadge } from "../PostStateBadge.tsx";
import type { FreeSlot } from "./FreeSlots.tsx";

/** Chooses an unscheduled post for a free slot. */
export function SlotDialog({
  slot: { at, account, platform },
  onChoose,
  onClose,
}: {
  slot: FreeSlot;
  onChoose: (post: PostSummary) => void;
  onClose: () => void;
}) {
  const { studio } = useStudio();
  const getPlatformName = usePlatformNames();
  const { query, items } = usePagedList(postSummariesQuery(studio.id, { stage: "editing" }, 12));
  return (
    <Dialog
      title={`Free slot: ${formatTime(at, studio.timezone)}`}
      subtitle={formatAccount(account, getPlatformName(platform))}
      onClose={onClose}
    >
      <p className="mt-3 mb-2 text-muted">
        {items.length > 0 || !query.isSuccess
          ? "Choose a post for this slot."
          : "All posts are scheduled. Create a post first."}
      </p>
      <QueryStatus query={query} />
      <ul className="grid max-h-[50vh] grid-cols-1 gap-1 overflow-auto empty:hidden">
        {items.map((post) => (
          <li key={post.id}>
            <button
              type="button"
              className="flex min-h-control w-full cursor-pointer items-center gap-2 rounded-md border border-rule bg-raised px-2.5 py-1 text-left hover:border-control"
              onClick={() => onChoose(post)}
            >
              <PostStateBadge post={post} isLabelHidden />
              <span className="line-clamp-2 min-w-0 [overflow-wrap:anywhere]">{post.title}</span>
            </button>
          </li>
        ))}
      </ul>
      <DialogActions>
        {query.hasNextPage && (
          <Button
            className="sm:mr-auto"
            variant="quiet"
            busyLabel={query.isFetchingNextPage && "Loading…"}
            onClick={() => void query.fetchNextPage()}
          >
            Show more
          </Button>
        )}
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
      </DialogActions>
    </Dialog>
  );
}
