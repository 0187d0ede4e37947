import { inBatch } from "../api/change.ts";
import { cancelPublication } from "../api/mutations.ts";
import type { VisibleState } from "../api/publication-queries.ts";
import { runBulk } from "../bulk/run-bulk.ts";
import { StudioContext, useStudio } from "../layout/use-studio.ts";
import { useConfirm } from "../ui/Confirm.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { getPostUploadsKey, useUploaderRegistry } from "../upload/uploader-registry.tsx";
import { CanceledPublications, type CanceledPublication } from "./CanceledPublications.tsx";

interface RemovablePost {
  id: string;
  title: string;
  publications?: readonly CanceledPublication[] | undefined;
}

/** When the server archives or deletes a post, it cancels publications in these states. Undo can't restore them. */
const canceledStates: readonly VisibleState[] = ["proposed", "missed"];
/** The server doesn't archive or delete a post with a publication in one of these states. */
const blockingStates: readonly VisibleState[] = ["scheduled", "publishing", "unconfirmed"];
/** Publications in these states can't be canceled. */
const startedStates: readonly VisibleState[] = ["publishing", "unconfirmed"];

/** The most posts that a dialog names. */
const maxTitles = 5;

const dialogTexts = {
  archive: { getTitle: (what: string) => `Archive ${what}?`, action: "Archive", busyLabel: "Archiving…" },
  trash: { getTitle: (what: string) => `Move ${what} to the trash?`, action: "Move to trash", busyLabel: "Moving…" },
};

/**
 * Calls `run`, which archives or deletes the posts. Asks first if that cancels publications or stops uploads, which
 * Undo can't restore, and cancels scheduled publications before `run`. A post whose publication has started can't be
 * removed: for a single post, a toast says why; for several, `run` reports the posts that the server rejects.
 */
export function useConfirmRemoval(): (
  kind: keyof typeof dialogTexts,
  posts: readonly RemovablePost[],
  run: () => Promise<void>,
) => Promise<void> {
  const access = useStudio();
  const { studio } = access;
  const confirm = useConfirm();
  const showToast = useToast();
  const uploaderRegistry = useUploaderRegistry();
  return async (kind, posts, run) => {
    const [post] = posts;
    const isSinglePost = post !== undefined && posts.length === 1;
    const startedPublication = isSinglePost && post.publications?.find(hasStarted);
    if (startedPublication) return showToast({ text: describeStarted(startedPublication) });
    const scheduledPosts = posts.filter(
      ({ publications = [] }) => !publications.some(hasStarted) && publications.some(isScheduled),
    );
    const publications = scheduledPosts.flatMap((scheduledPost) => scheduledPost.publications ?? []);
    const scheduledPublications = publications.filter(isScheduled);
    const otherPublications = posts.flatMap(listCanceled);
    const isUploading = kind === "trash" && posts.some(({ id }) => uploaderRegistry.isUploading(getPostUploadsKey(id)));
    if (scheduledPublications.length === 0 && otherPublications.length === 0 && !isUploading) return run();
    const { getTitle, ...labels } = dialogTexts[kind];
    const remainingIds = new Set(scheduledPublications.map(({ id }) => id));
    confirm({
      title: getTitle(isSinglePost ? `“${post.title}”` : `${posts.length} posts`),
      // The dialog is outside of the studio's pages.
      body: (
        <StudioContext value={access}>
          {scheduledPublications.length > 0 &&
            (isSinglePost ? (
              <>
                <p>This cancels what is planned:</p>
                <CanceledPublications publications={publications.filter(isPlanned)} />
                <p>Undo restores the post, but not the plan.</p>
              </>
            ) : (
              <p>
                This cancels what is planned for {listTitles(scheduledPosts)}. Undo restores the posts, but not the
                plans.
              </p>
            ))}
          {otherPublications.length > 0 &&
            (isSinglePost ? (
              <>
                <p>This cancels what waits for approval or a new time:</p>
                <CanceledPublications publications={otherPublications} />
                <p>Undo restores only the post.</p>
              </>
            ) : (
              <p>
                This cancels{" "}
                {otherPublications.length === 1
                  ? "1 publication that waits"
                  : `${otherPublications.length} publications that wait`}{" "}
                for approval or a new time. Undo restores only the posts.
              </p>
            ))}
          {isUploading && <p>Files are still uploading. This stops the uploads: after Undo, add the files again.</p>}
        </StudioContext>
      ),
      ...labels,
      ...(scheduledPublications.length > 0 && {
        action: `Cancel ${scheduledPublications.length === 1 ? "publication" : "publications"} and ${labels.action.toLowerCase()}`,
        dismiss: isSinglePost ? "Keep it" : "Keep them",
      }),
      run: () =>
        inBatch(async () => {
          if (isSinglePost)
            // If one fails, a retry continues with it.
            for (const id of remainingIds) {
              await cancelPublication({ studioId: studio.id, publicationId: id });
              remainingIds.delete(id);
            }
          // If a publication can't be canceled, `run` reports its post.
          else await runBulk([...remainingIds], (id) => cancelPublication({ studioId: studio.id, publicationId: id }));
          await run();
        }),
    });
  };
}

const hasStarted = ({ state }: CanceledPublication): boolean => startedStates.includes(state);
const isScheduled = ({ state }: CanceledPublication): boolean => state === "scheduled";
const isPlanned = ({ state }: CanceledPublication): boolean => state === "scheduled" || canceledStates.includes(state);

function listTitles(posts: readonly RemovablePost[]): string {
  const titles = posts.slice(0, maxTitles).map(({ title }) => `“${title}”`);
  const hiddenCount = posts.length - titles.length;
  // Created on demand, because this takes several milliseconds.
  const listFormat = new Intl.ListFormat("en", { type: "conjunction" });
  return listFormat.format(hiddenCount === 0 ? titles : [...titles, `${hiddenCount} more`]);
}

/** The publications that the server cancels without a separate request. */
function listCanceled({ publications = [] }: RemovablePost): CanceledPublication[] {
  const isBlocked = publications.some(({ state }) => blockingStates.includes(state));
  return isBlocked ? [] : publications.filter(({ state }) => canceledStates.includes(state));
}

const describeStarted = ({ account, state }: CanceledPublication): string =>
  state === "publishing"
    ? `This post is being published to ${account}. Try again when that is done.`
    : `Confirm first whether this post was published to ${account}: open its publication and choose Resolve.`;
