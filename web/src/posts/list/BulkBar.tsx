import { CalendarClock, CircleDashed, Share2, Tag, Trash2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { PostStatus } from "../../api/queries.ts";
import type { PostSummary } from "../../api/summary-queries.ts";
import { FailureDialog } from "../../bulk/FailureDialog.tsx";
import type { Selection } from "../../bulk/use-selection.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { mayPublishWithoutApproval } from "../../publishing/may-publish-without-approval.ts";
import { postStatuses } from "../../search-params.ts";
import { Button } from "../../ui/Button.tsx";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../../ui/Menu.tsx";
import { BarLabel, SelectionBar } from "../../ui/SelectionBar.tsx";
import { statusIcons, statusLabels } from "../status-labels.ts";
import { useConfirmRemoval } from "../use-confirm-removal.tsx";
import { maxBulkPosts, useBulkChanges } from "./use-bulk-changes.ts";

const ShareForReviewDialog = lazy(async () => ({
  default: (await import("../../reviews/ShareForReviewDialog.tsx")).ShareForReviewDialog,
}));
const NextSlotsDialog = lazy(async () => ({ default: (await import("./NextSlotsDialog.tsx")).NextSlotsDialog }));
const AddTagDialog = lazy(async () => ({ default: (await import("./AddTagDialog.tsx")).AddTagDialog }));

/** The server’s limit of posts per review link. */
const maxReviewPosts = 50;

/** The bar with the actions for the selected posts. */
export function BulkBar({
  posts,
  total,
  selection,
}: {
  posts: readonly PostSummary[];
  /** How many posts the list has; undefined while some are not loaded. */
  total: number | undefined;
  selection: Selection;
}) {
  const { changes, progress, failures, dismissFailures, run } = useBulkChanges();
  const [isTagging, setIsTagging] = useState(false);
  const [postsToSchedule, setPostsToSchedule] = useState<readonly PostSummary[]>();
  const { studio, may } = useStudio();
  const [sharedIds, setSharedIds] = useState<readonly string[]>();
  const selectedPosts = posts.filter(({ id }) => selection.ids.has(id));
  const tags = [...new Set(selectedPosts.flatMap((post) => post.tags))].toSorted();
  const isOverLimit = selectedPosts.length > maxBulkPosts;
  const isDisabled = isOverLimit || progress !== undefined;
  const confirmRemoval = useConfirmRemoval();
  function setStatus(status: PostStatus): void {
    const postsToChange = selectedPosts.filter((post) => post.status !== status);
    const applyChange = () =>
      run(
        postsToChange,
        changes.setStatus(status),
        (countedPosts) => `Moved ${countedPosts} to ${statusLabels[status].singular.toLowerCase()}.`,
      );
    void (status === "archived" ? confirmRemoval("archive", postsToChange, applyChange) : applyChange());
  }
  const listPostsWithTag = (tag: string) => selectedPosts.filter((post) => post.tags.includes(tag));
  return (
    <>
      <SelectionBar count={selectedPosts.length} total={total} onClear={selection.clear}>
        {isOverLimit && <span className="px-2 text-sm text-danger">Select at most {maxBulkPosts} posts.</span>}
        {progress && (
          <span role="status" className="px-2 text-sm text-muted tabular-nums">
            Changing {progress.doneCount} of {progress.totalCount}…
          </span>
        )}
        <Menu
          label="Change status"
          side="top"
          align="start"
          trigger={
            <Button variant="quiet" size="small" icon={CircleDashed} disabled={isDisabled}>
              Status
            </Button>
          }
        >
          {postStatuses.map((status) => (
            <MenuItem key={status} icon={statusIcons[status]} onSelect={() => setStatus(status)}>
              {statusLabels[status].singular}
            </MenuItem>
          ))}
        </Menu>
        <Menu
          label="Change tags"
          side="top"
          align="start"
          trigger={
            <Button variant="quiet" size="small" icon={Tag} disabled={isDisabled}>
              Tags
            </Button>
          }
        >
          <MenuItem onSelect={() => setIsTagging(true)}>Add a tag…</MenuItem>
          {tags.length > 0 && (
            <>
              <MenuSeparator />
              <MenuLabel>Remove a tag</MenuLabel>
            </>
          )}
          {tags.map((tag) => (
            <MenuItem
              key={tag}
              detail={listPostsWithTag(tag).length}
              onSelect={() =>
                void run(
                  listPostsWithTag(tag),
                  changes.removeTag(tag),
                  (countedPosts) => `Removed the tag “${tag}” from ${countedPosts}.`,
                )
              }
            >
              {tag}
            </MenuItem>
          ))}
        </Menu>
        {may("publications.request") && (
          <Button
            variant="quiet"
            size="small"
            icon={CalendarClock}
            disabled={isDisabled}
            // In the order in which they were selected, also if the list changes.
            onClick={() =>
              setPostsToSchedule([...selection.ids].flatMap((id) => posts.find((post) => post.id === id) ?? []))
            }
          >
            <BarLabel shortLabel="Slots">Next free slots…</BarLabel>
          </Button>
        )}
        <Button
          variant="quiet"
          size="small"
          icon={Share2}
          disabled={isDisabled || selectedPosts.length > maxReviewPosts}
          onClick={() => setSharedIds(selectedPosts.map(({ id }) => id))}
        >
          <BarLabel shortLabel="Share">Share for review…</BarLabel>
        </Button>
        <Button
          variant="quiet"
          size="small"
          icon={Trash2}
          disabled={isDisabled}
          onClick={() =>
            void confirmRemoval("trash", selectedPosts, () =>
              run(selectedPosts, changes.moveToTrash, (countedPosts) => `Moved ${countedPosts} to the trash.`),
            )
          }
        >
          <BarLabel shortLabel="Trash">Move to trash</BarLabel>
        </Button>
      </SelectionBar>
      <Suspense>
        {sharedIds && <ShareForReviewDialog postIds={sharedIds} onClose={() => setSharedIds(undefined)} />}
        {postsToSchedule && (
          <NextSlotsDialog
            posts={postsToSchedule}
            onSchedule={(connectionIds) => {
              setPostsToSchedule(undefined);
              void run(
                postsToSchedule,
                changes.scheduleInSlots(connectionIds),
                (countedPosts) =>
                  `${mayPublishWithoutApproval(studio) ? "Scheduled" : "Asked for approval of"} ${countedPosts} at the next free slots.`,
              );
            }}
            onClose={() => setPostsToSchedule(undefined)}
          />
        )}
        {isTagging && (
          <AddTagDialog
            count={selectedPosts.length}
            sharedTags={tags.filter((tag) => listPostsWithTag(tag).length === selectedPosts.length)}
            onClose={() => setIsTagging(false)}
            onAdd={(tag) => {
              setIsTagging(false);
              void run(
                selectedPosts.filter((post) => !post.tags.includes(tag)),
                changes.addTag(tag),
                (countedPosts) => `Added the tag “${tag}” to ${countedPosts}.`,
              );
            }}
          />
        )}
      </Suspense>
      {failures.length > 0 && (
        <FailureDialog
          title={failures.length === 1 ? "1 post wasn’t changed" : `${failures.length} posts weren’t changed`}
          failures={failures}
          getName={({ title }) => title}
          onClose={dismissFailures}
        />
      )}
    </>
  );
}
