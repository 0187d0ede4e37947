import { useQueryClient } from "@tanstack/react-query";
import { undoUndo } from "../api/mutations.ts";
import { refreshQueries, type Activity } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { formatChangeCount } from "../undo/labels.ts";
import { hasReapplied } from "./labels.ts";

const undoLabels = { action: "Undo changes", busy: "Undoing…", done: "undone", nothing: "Nothing left to undo." };
const reapplyLabels = {
  action: "Reapply changes",
  busy: "Reapplying…",
  done: "reapplied",
  nothing: "Nothing left to reapply.",
};

/** Reapplies the changes of an AI client after an undo, or undoes them again. Its own entry has this button, too. */
export function UndoUndoButton({ undo: { id, detail } }: { undo: Activity }) {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const showToast = useToast();
  const { isRunning, error, run } = useAction();
  const labels = hasReapplied(detail) ? undoLabels : reapplyLabels;

  async function undo(): Promise<void> {
    const { undone } = await undoUndo(studio.id, id);
    await refreshQueries(queryClient, studio.id);
    showToast({ text: undone.length === 0 ? labels.nothing : `${formatChangeCount(undone.length)} ${labels.done}.` });
  }

  return (
    <div className="mt-2">
      <Button variant="quiet" onClick={() => void run(undo)} busyLabel={isRunning && labels.busy}>
        {labels.action}
      </Button>
      {error !== undefined && <ErrorMessage error={error} />}
    </div>
  );
}
