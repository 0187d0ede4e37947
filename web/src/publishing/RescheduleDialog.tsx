import { useState } from "react";
import { reschedulePublication } from "../api/mutations.ts";
import type { Publication } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatExactTime } from "../ui/format-time.ts";
import { FormDialog } from "../ui/FormDialog.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { mayPublishWithoutApproval } from "./may-publish-without-approval.ts";
import { isProposedWithoutTime } from "./publication-states.ts";
import { suggestLocalTime, TimeField } from "./TimeField.tsx";
import { useBlockingProblem } from "./use-blocking-problem.ts";
import { useQuotedPostTitle } from "./use-post-title.ts";
import { resolveLocalTime, toLocalTime } from "#portable/zoned-time.ts";

/** Changes the time of a publication that has not started, or sets one. */
export function RescheduleDialog({ publication, onClose }: { publication: Publication; onClose: () => void }) {
  const { studio } = useStudio();
  const showToast = useToast();
  const { id, postId, account, state, scheduledFor } = publication;
  const isFirstTime = isProposedWithoutTime(publication);
  const postTitle = useQuotedPostTitle(postId);
  const [localTime, setLocalTime] = useState(() => {
    const scheduledMs = scheduledFor === null ? 0 : Date.parse(scheduledFor);
    return scheduledMs > Date.now()
      ? toLocalTime(scheduledMs, studio.timezone)
      : suggestLocalTime(Date.now(), studio.timezone);
  });
  const time = resolveLocalTime(localTime, studio.timezone);
  const blockingProblem = useBlockingProblem(publication);

  async function save(): Promise<void> {
    if (time.kind !== "valid") return;
    await reschedulePublication({ studioId: studio.id, publicationId: id }, { at: time.iso });
    const result = isFirstTime ? "Time set to" : "Rescheduled to";
    showToast({ text: `${result} ${formatExactTime(time.iso, studio.timezone)} (${account}).` });
    onClose();
  }

  return (
    <FormDialog
      title={
        isFirstTime ? `Set a time to publish ${postTitle} to ${account}` : `Reschedule ${postTitle} for ${account}`
      }
      submitLabel="Save time"
      busyLabel="Saving…"
      canSubmit={time.kind === "valid"}
      onSubmit={save}
      onClose={onClose}
    >
      <div className="mt-5">
        <TimeField value={localTime} onChange={setLocalTime} />
      </div>
      {blockingProblem && (
        <p className="text-warning">
          Won’t be published as it is: {blockingProblem.message} Fix the post before the new time.
        </p>
      )}
      {state !== "proposed" && !mayPublishWithoutApproval(studio) && (
        <p className="text-muted">If you change the time, an owner or admin needs to approve this publication again.</p>
      )}
    </FormDialog>
  );
}
