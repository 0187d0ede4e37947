import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { slotsQuery } from "../../api/planning-queries.ts";
import { platformsQuery } from "../../api/queries.ts";
import type { PostSummary } from "../../api/summary-queries.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { formatAccount } from "../../platforms/format-account.ts";
import { mayPublishWithoutApproval } from "../../publishing/may-publish-without-approval.ts";
import { getAccountLabel } from "../../publishing/use-accounts.ts";
import { usePlatformNames } from "../../publishing/use-platform-names.ts";
import { ChoiceField } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";

/** Schedules several posts at the next free slots of accounts, in this order. */
export function NextSlotsDialog({
  posts,
  onSchedule,
  onClose,
}: {
  posts: readonly PostSummary[];
  onSchedule: (connectionIds: readonly string[]) => void;
  onClose: () => void;
}) {
  const { studio } = useStudio();
  const getPlatformName = usePlatformNames();
  const slots = useQuery(slotsQuery(studio.id)).data?.slots;
  const connections = useQuery(platformsQuery(studio.id)).data?.connections ?? [];
  const accounts = connections.filter(
    ({ id, state }) => state === "connected" && slots?.some(({ connectionId }) => connectionId === id),
  );
  const [excludedIds, setExcludedIds] = useState<ReadonlySet<string>>(new Set());
  const chosenIds = accounts.map(({ id }) => id).filter((id) => !excludedIds.has(id));
  const action = mayPublishWithoutApproval(studio) ? "Schedule" : "Ask for approval";

  function toggle(id: string, isChosen: boolean): void {
    const ids = new Set(excludedIds);
    if (isChosen) ids.delete(id);
    else ids.add(id);
    setExcludedIds(ids);
  }

  return (
    <FormDialog
      title={`Next free slots for ${posts.length === 1 ? "1 post" : `${posts.length} posts`}`}
      submitLabel={action}
      busyLabel="Sending…"
      canSubmit={chosenIds.length > 0}
      onSubmit={async () => onSchedule(chosenIds)}
      onClose={onClose}
    >
      {slots && accounts.length === 0 ? (
        <p className="mt-3">No account has slots yet. Add weekly slots in the settings first.</p>
      ) : (
        <fieldset className="mt-4">
          <legend className="mb-2 font-semibold">Accounts</legend>
          <div className="grid gap-2 pointer-coarse:gap-0">
            {accounts.map((connection) => (
              <ChoiceField
                key={connection.id}
                type="checkbox"
                label={formatAccount(getAccountLabel(connection), getPlatformName(connection.platform))}
                checked={!excludedIds.has(connection.id)}
                onChange={({ target }) => toggle(connection.id, target.checked)}
              />
            ))}
          </div>
        </fieldset>
      )}
      <h3 className="mt-6 mb-2 font-semibold">In this order</h3>
      <ol className="m-0 max-h-[30vh] list-decimal overflow-auto pl-6 text-sm [overflow-wrap:anywhere]">
        {posts.map(({ id, title }) => (
          <li key={id}>{title}</li>
        ))}
      </ol>
    </FormDialog>
  );
}
