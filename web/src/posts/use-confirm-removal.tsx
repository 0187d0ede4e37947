import { cancelPublication } from "../api/mutations.ts";
import type { VisibleState } from "../api/publication-queries.ts";
import { runBulk } from "../bulk/run-bulk.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useConfirm } from "../ui/Confirm.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { getPostUploadsKey, useUploaderRegistry } from "../upload/uploader-registry.tsx";

interface PlannedPost {
  id: string;
  title: string;
  publications?: readonly PlannedPublication[] | undefined;
}

interface PlannedPublication {
  id: string;
  account: string;
  state: VisibleState;
}

/** Archiving or deleting a post cancels publications in these states. Undo can't restore the requests. */
const canceledStates: readonly VisibleState[] = ["proposed", "missed"];
/** The server doesn't archive or delete a post with a publication in one of these states, so nothing is canceled. */
const blockingStates: readonly VisibleState[] = ["scheduled", "publishing", "unconfirmed"];
/** No one can cancel a publication in one of these states. */
const startedStates: readonly VisibleState[] = ["publishing", "unconfirmed"];

/** The most posts that a dialog names. */
const maxTitles = 5;
const listFormat = new Intl.ListFormat("en", { type: "conjunction" });

const copies = {
  archive: { getTitle: (what: string) => `Archive ${what}?`, action: "Archive", busyLabel: "Archiving…" },
  trash: { getTitle: (what: string) => `Move ${what} to the trash?`, action: "Move to trash", busyLabel: "Moving…" },
};

/**
 * Archives or deletes posts with `run`. Asks first if this cancels publications or stops uploads, which Undo can't
 * restore. Scheduled publications are canceled before. A publication that has started prevents it: for a single post, a
 * toast says why; of several posts, `run` reports those that the server rejects.
 */
export function useConfirmRemoval(): (
  kind: keyof typeof copies,
  posts: readonly PlannedPost[],
  run: () => Promise<void>,
) => Promise<void> {
  const { studio } = useStudio();
  const confirm = useConfirm();
  const showToast = useToast();
  const uploaderRegistry = useUploaderRegistry();
  return async (kind, posts, run) => {
    const [post] = posts;
    const isSinglePost = post !== undefined && posts.length === 1;
    const startedPublication = isSinglePost && post.publications?.find(hasStarted);
    if (startedPublication) return showToast({ text: describeStarted(startedPublication) });
    const plannedPosts = posts.filter(
      ({ publications = [] }) => !publications.some(hasStarted) && publications.some(isScheduled),
    );
    const publications = plannedPosts.flatMap((plannedPost) => plannedPost.publications ?? []);
    const scheduledPublications = publications.filter(isScheduled);
    const accounts = posts.flatMap(listCanceledAccounts);
    const isUploading = kind === "trash" && posts.some(({ id }) => uploaderRegistry.isUploading(getPostUploadsKey(id)));
    if (scheduledPublications.length === 0 && accounts.length === 0 && !isUploading) return run();
    const { getTitle, ...labels } = copies[kind];
    const remainingIds = new Set(scheduledPublications.map(({ id }) => id));
    confirm({
      title: getTitle(isSinglePost ? `“${post.title}”` : `${posts.length} posts`),
      body: (
        <>
          {scheduledPublications.length > 0 && (
            <p>
              {isSinglePost
                ? `This cancels what is planned: ${listAccounts(publications, ["scheduled", ...canceledStates]).join(", ")}. Undo restores the post, but not the plan.`
                : `This cancels what is planned for ${listTitles(plannedPosts)}. Undo restores the posts, but not the plans.`}
            </p>
          )}
          {accounts.length > 0 && (
            <p>
              {isSinglePost
                ? `This cancels what waits for approval or a new time: ${accounts.join(", ")}. Undo restores the post, but not these requests.`
                : `This cancels ${accounts.length === 1 ? "1 publication that waits" : `${accounts.length} publications that wait`} for approval or a new time. Undo restores the posts, but not these requests.`}
            </p>
          )}
          {isUploading && <p>Files are still uploading. The uploads stop. After Undo, add these files again.</p>}
        </>
      ),
      ...labels,
      ...(scheduledPublications.length > 0 && {
        action: `Cancel ${scheduledPublications.length === 1 ? "publication" : "publications"} and ${labels.action.toLowerCase()}`,
        dismiss: isSinglePost ? "Keep it" : "Keep them",
      }),
      run: async () => {
        if (isSinglePost)
          // If one fails, a retry continues with it.
          for (const id of remainingIds) {
            await cancelPublication(studio.id, id);
            remainingIds.delete(id);
          }
        // A post whose publication can't be canceled is among those that `run` reports.
        else
          await runBulk([...remainingIds], (id) => cancelPublication(studio.id, id), { parallel: 1, onProgress() {} });
        await run();
      },
    });
  };
}

const hasStarted = ({ state }: PlannedPublication): boolean => startedStates.includes(state);
const isScheduled = ({ state }: PlannedPublication): boolean => state === "scheduled";

function listTitles(posts: readonly PlannedPost[]): string {
  const titles = posts.slice(0, maxTitles).map(({ title }) => `“${title}”`);
  const hiddenCount = posts.length - titles.length;
  return listFormat.format(hiddenCount === 0 ? titles : [...titles, `${hiddenCount} more`]);
}

function listCanceledAccounts({ publications = [] }: PlannedPost): string[] {
  const isBlocked = publications.some(({ state }) => blockingStates.includes(state));
  return isBlocked ? [] : listAccounts(publications, canceledStates);
}

const listAccounts = (publications: readonly PlannedPublication[], states: readonly VisibleState[]): string[] =>
  publications.filter(({ state }) => states.includes(state)).map(({ account }) => account);

const describeStarted = ({ account, state }: PlannedPublication): string =>
  state === "publishing"
    ? `This post is being published to ${account}. Try again when that is done.`
    : `Confirm first whether this post was published to ${account}: open its publication and choose Resolve.`;
