import { Link } from "@tanstack/react-router";
import { CalendarClock } from "lucide-react";
import { useState } from "react";
import { useStudio } from "../../layout/use-studio.ts";
import { stateLabels } from "../../publishing/publication-states.ts";
import { suggestLocalTime, TimeField } from "../../publishing/TimeField.tsx";
import { useCancelPublication } from "../../publishing/use-cancel-publication.tsx";
import { usePlatformNames } from "../../publishing/use-platform-names.ts";
import { resolveLocalTime } from "../../publishing/zoned-time.ts";
import { Button, ButtonLink } from "../../ui/Button.tsx";
import { Dialog, DialogActions } from "../../ui/Dialog.tsx";
import { formatExactTime } from "../../ui/format-time.ts";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { Thumbnail } from "../../ui/Thumbnail.tsx";
import { stateColors, stateIcons } from "../AccountStates.tsx";
import type { EntryGroup } from "./group-entries.ts";
import { losesApproval, type Reschedule } from "./use-reschedule.ts";

/** The publications of a calendar card, and the actions for them. */
export function EntryDialog({
  group,
  onReschedule,
  onClose,
}: {
  group: EntryGroup;
  onReschedule: Reschedule;
  onClose: () => void;
}) {
  const { studio, may } = useStudio();
  const getPlatformName = usePlatformNames();
  const cancel = useCancelPublication();
  const [isRescheduling, setIsRescheduling] = useState(false);
  if (isRescheduling) return <TimeDialog group={group} onReschedule={onReschedule} onClose={onClose} />;
  const { post, state, at, entries, canReschedule, canCancel } = group;
  const Icon = stateIcons[state];
  return (
    <Dialog title={post.title} onClose={onClose}>
      <div className="mt-3 flex items-start gap-3">
        {post.thumbnail && <Thumbnail asset={post.thumbnail} />}
        <div className="min-w-0">
          <p className="m-0">{formatExactTime(at, studio.timezone)}</p>
          <p className="mt-1 mb-0 flex items-center gap-1.5">
            <Icon size={16} className={stateColors[state]} aria-hidden="true" />
            {stateLabels[state]}
          </p>
        </div>
      </div>
      <ul className="mt-3 divide-y divide-rule border-y border-rule">
        {entries.map(({ id, account, platform }) => (
          <li key={id}>
            <Link
              className="flex min-h-control items-center justify-between gap-3 py-1.5 text-ink no-underline hover:text-accent"
              to="/studios/$studioId/publications/$publicationId"
              params={{ studioId: studio.id, publicationId: id }}
            >
              <span className="min-w-0 truncate">{account}</span>
              <span className="flex-none text-sm text-muted">{getPlatformName(platform)}</span>
            </Link>
          </li>
        ))}
      </ul>
      <DialogActions>
        <Button variant="secondary" onClick={onClose}>
          Close
        </Button>
        <ButtonLink
          variant="secondary"
          to="/studios/$studioId/posts/$postId"
          params={{ studioId: studio.id, postId: post.id }}
        >
          Open post
        </ButtonLink>
        {canCancel && may("publications.request") && (
          <Button
            variant="dangerOutline"
            onClick={() => {
              onClose();
              cancel(...entries);
            }}
          >
            Cancel publication
          </Button>
        )}
        {canReschedule && may("publications.request") && (
          <Button icon={CalendarClock} onClick={() => setIsRescheduling(true)}>
            Change time
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function TimeDialog({
  group,
  onReschedule,
  onClose,
}: {
  group: EntryGroup;
  onReschedule: Reschedule;
  onClose: () => void;
}) {
  const { studio } = useStudio();
  const [localTime, setLocalTime] = useState(() =>
    Date.parse(group.at) > Date.now() ? group.localTime : suggestLocalTime(Date.now(), studio.timezone),
  );
  return (
    <FormDialog
      title={`Reschedule ${group.post.title}`}
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
