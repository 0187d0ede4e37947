import { Link } from "@tanstack/react-router";
import { CalendarClock } from "lucide-react";
import { useState } from "react";
import { useStudio } from "../../layout/use-studio.ts";
import { stateLabels } from "../../publishing/publication-states.ts";
import { useCancelPublication } from "../../publishing/use-cancel-publication.tsx";
import { usePlatformNames } from "../../publishing/use-platform-names.ts";
import { Button, ButtonLink } from "../../ui/Button.tsx";
import { Dialog, DialogActions } from "../../ui/Dialog.tsx";
import { formatExactTime } from "../../ui/format-time.ts";
import { Thumbnail } from "../../ui/Thumbnail.tsx";
import { stateColors, stateIcons } from "../AccountStates.tsx";
import type { EntryGroup } from "./group-entries.ts";
import { TimeDialog } from "./TimeDialog.tsx";
import type { Reschedule } from "./use-reschedule.ts";

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
        <div className="min-w-0 flex-1">
          <p className="m-0">{formatExactTime(at, studio.timezone)}</p>
          <p className="mt-1 mb-0 flex items-center gap-1.5">
            <Icon size={16} className={stateColors[state]} aria-hidden="true" />
            {stateLabels[state]}
          </p>
        </div>
        <ButtonLink
          className="flex-none"
          variant="secondary"
          size="small"
          to="/studios/$studioId/posts/$postId"
          params={{ studioId: studio.id, postId: post.id }}
        >
          Open post
        </ButtonLink>
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
        {canCancel && may("publications.request") && (
          <Button
            className="sm:mr-auto"
            variant="dangerOutline"
            onClick={() => {
              onClose();
              cancel(...entries);
            }}
          >
            Cancel publication
          </Button>
        )}
        <Button variant="secondary" onClick={onClose}>
          Close
        </Button>
        {canReschedule && may("publications.request") && (
          <Button icon={CalendarClock} onClick={() => setIsRescheduling(true)}>
            Reschedule…
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
