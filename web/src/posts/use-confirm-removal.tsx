import type { VisibleState } from "../api/publication-queries.ts";
import { useConfirm } from "../ui/Confirm.tsx";
import { getPostUploadsKey, useUploadSessions } from "../upload/upload-sessions.ts";

interface PlannedPost {
  id: string;
  title: string;
  publications?: readonly { account: string; state: VisibleState }[] | undefined;
}

/** Archiving or deleting a post cancels publications in these states. Undo can't restore the requests. */
const canceledStates: readonly VisibleState[] = ["proposed", "missed"];
/** The server doesn't archive or delete a post with a publication in one of these states, so nothing is canceled. */
const blockingStates: readonly VisibleState[] = ["scheduled", "publishing", "unconfirmed"];

const copies = {
  archive: { getTitle: (what: string) => `Archive ${what}?`, action: "Archive", busyLabel: "Archiving…" },
  trash: { getTitle: (what: string) => `Move ${what} to the trash?`, action: "Move to trash", busyLabel: "Moving…" },
};

/** Archives or deletes posts with `run`. Asks first if this cancels publications or stops uploads, which Undo can't restore. */
export function useConfirmRemoval(): (
  kind: keyof typeof copies,
  posts: readonly PlannedPost[],
  run: () => Promise<void>,
) => Promise<void> {
  const confirm = useConfirm();
  const uploadSessions = useUploadSessions();
  return async (kind, posts, run) => {
    const accounts = posts.flatMap(listCanceledAccounts);
    const isUploading = kind === "trash" && posts.some(({ id }) => uploadSessions.isUploading(getPostUploadsKey(id)));
    if (accounts.length === 0 && !isUploading) return run();
    const [post] = posts;
    const isSinglePost = post !== undefined && posts.length === 1;
    const { getTitle, ...labels } = copies[kind];
    confirm({
      title: getTitle(isSinglePost ? `“${post.title}”` : `${posts.length} posts`),
      body: (
        <>
          {accounts.length > 0 && (
            <p>
              {isSinglePost
                ? `This cancels what waits for approval or a new time: ${accounts.join(", ")}. Undo restores the post, but not these requests.`
                : `This cancels ${accounts.length === 1 ? "1 publication that waits" : `${accounts.length} publications that wait`} for approval or a new time. Undo restores the posts, but not these requests.`}
            </p>
          )}
          {isUploading && (
            <p>
              Files are still uploading. The uploads stop. After Undo, open the post to resume them; you may have to
              choose some files again.
            </p>
          )}
        </>
      ),
      ...labels,
      run,
    });
  };
}

function listCanceledAccounts({ publications = [] }: PlannedPost): string[] {
  if (publications.some(({ state }) => blockingStates.includes(state))) return [];
  return publications.filter(({ state }) => canceledStates.includes(state)).map(({ account }) => account);
}
