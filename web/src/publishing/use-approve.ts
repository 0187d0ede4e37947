import { formatError } from "../api/api-error.ts";
import { approvePublication, unapprovePublication } from "../api/mutations.ts";
import type { Publication } from "../api/publication-queries.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatTime } from "../ui/format-time.ts";
import { useToast } from "../ui/Toasts.tsx";

/** How long what would start at once waits, so that the approval can be undone. */
export const undoSeconds = 10;

/** Whether an approved publication starts at once. */
export const startsAtOnce = (scheduledFor: string | null): boolean =>
  scheduledFor === null || Date.parse(scheduledFor) <= Date.now();

/** Approves a proposal for the revision that the user saw. A toast offers Undo until publishing starts. */
export function useApprove(): (publication: Publication, post: Post) => Promise<void> {
  const { studio } = useStudio();
  const showToast = useToast();

  async function undo(publicationId: string, title: string): Promise<void> {
    try {
      await unapprovePublication({ studioId: studio.id, publicationId });
      showToast({ text: `“${title}” waits for approval again. Nothing was published.` });
    } catch (error) {
      showToast({ text: formatError(error) });
    }
  }

  return async ({ id, account, scheduledFor }, { revision, title }) => {
    // The server counts from a later moment, so Undo never ends too late.
    const startsAt =
      scheduledFor === null || startsAtOnce(scheduledFor) ? Date.now() + undoSeconds * 1000 : Date.parse(scheduledFor);
    const snapshot = { revision, scheduledFor, startInSeconds: undoSeconds };
    await approvePublication({ studioId: studio.id, publicationId: id }, snapshot);
    const action = { label: "Undo", run: () => void undo(id, title) };
    const isSoon = startsAt - Date.now() <= undoSeconds * 1000;
    showToast(
      isSoon || scheduledFor === null
        ? {
            text: `“${title}” approved.`,
            action,
            countdown: { until: startsAt, describe: (seconds) => `Publishing to ${account} in ${seconds} s.` },
          }
        : { text: `“${title}” approved for ${formatTime(scheduledFor, studio.timezone)} (${account}).`, action },
    );
  };
}
