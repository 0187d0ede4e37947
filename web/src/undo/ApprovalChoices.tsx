import { useState } from "react";
import type { UndoResult } from "../api/history-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatAccount } from "../platforms/format-account.ts";
import { describeRequestedTime } from "../publishing/describe-time.ts";
import { usePlatformNames } from "../publishing/use-platform-names.ts";
import { ChoiceField } from "../ui/Field.tsx";

export type ReturnedPublication = UndoResult["approvable"][number];

interface Selection {
  chosenIds: string[];
  setIsChosen: (id: string, isChosen: boolean) => void;
}

/** Which publications the user wants to schedule again: all, except those that the user has cleared. */
export function useApprovalSelection(publications: readonly ReturnedPublication[]): Selection {
  const [clearedIds, setClearedIds] = useState<readonly string[]>([]);
  return {
    chosenIds: publications.map(({ id }) => id).filter((id) => !clearedIds.includes(id)),
    setIsChosen: (id, isChosen) =>
      setClearedIds((current) => (isChosen ? current.filter((clearedId) => clearedId !== id) : [...current, id])),
  };
}

/** Lists the publications that an undo or restore can schedule again, each with a checkbox. */
export function ApprovalChoices({
  publications,
  selection: { chosenIds, setIsChosen },
}: {
  publications: readonly ReturnedPublication[];
  selection: Selection;
}) {
  return (
    <fieldset className="mt-6">
      <legend className="font-semibold">These posts will be scheduled again</legend>
      <p className="mt-1 text-muted">
        They go out with exactly what was approved. If you clear one, it waits for approval.
      </p>
      <div className="mt-3 grid gap-3">
        {publications.map((publication) => (
          <ApprovalChoice
            key={publication.id}
            publication={publication}
            isChosen={chosenIds.includes(publication.id)}
            onChange={(isChosen) => setIsChosen(publication.id, isChosen)}
          />
        ))}
      </div>
    </fieldset>
  );
}

function ApprovalChoice({
  publication: { postTitle, account, platform, scheduledFor },
  isChosen,
  onChange,
}: {
  publication: ReturnedPublication;
  isChosen: boolean;
  onChange: (isChosen: boolean) => void;
}) {
  const { studio } = useStudio();
  const getPlatformName = usePlatformNames();
  return (
    <ChoiceField
      type="checkbox"
      className="[overflow-wrap:anywhere]"
      label={`${postTitle ?? "A post"} to ${formatAccount(account, getPlatformName(platform))}`}
      description={describeRequestedTime(scheduledFor, studio.timezone)}
      checked={isChosen}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}
