import { useState } from "react";
import { useStudio } from "../../layout/use-studio.ts";
import { suggestLocalTime, TimeField } from "../../publishing/TimeField.tsx";
import { resolveLocalTime, toLocalTime } from "#portable/zoned-time.ts";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { losesApproval, type PlannedGroup, type Reschedule } from "./use-reschedule.ts";

/** Moves publications of a post to another time. */
export function TimeDialog({
  group,
  onReschedule,
  onClose,
}: {
  group: PlannedGroup;
  onReschedule: Reschedule;
  onClose: () => void;
}) {
  const { studio } = useStudio();
  const [localTime, setLocalTime] = useState(() =>
    group.localTime !== undefined && group.localTime > toLocalTime(Date.now(), studio.timezone)
      ? group.localTime
      : suggestLocalTime(Date.now(), studio.timezone),
  );
  return (
    <FormDialog
      title={`Reschedule “${group.post.title}”`}
      submitLabel="Save time"
      busyLabel="Saving…"
      canSubmit={resolveLocalTime(localTime, studio.timezone).kind === "valid"}
      onSubmit={async () => {
        onClose();
        await onReschedule(group, localTime, { isApprovalLossExplained: true });
      }}
      onClose={onClose}
    >
      <div className="mt-4">
        <TimeField value={localTime} onChange={setLocalTime} />
      </div>
      {losesApproval(group, studio) && (
        <p className="text-muted">If you change the time, an owner or admin needs to approve this publication again.</p>
      )}
    </FormDialog>
  );
}
