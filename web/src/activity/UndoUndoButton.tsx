import type { Activity } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { formatPlans } from "../publishing/format-plans.ts";
import { formatChangeCount } from "../undo/labels.ts";
import { useUndoUndo } from "../undo/use-undo-undo.ts";
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
  const showToast = useToast();
  const { isRunning, error, run } = useAction();
  const { runUndoUndo, dialog } = useUndoUndo();
  const labels = hasReapplied(detail) ? undoLabels : reapplyLabels;

  async function undo(): Promise<void> {
    const result = await runUndoUndo(id, labels.action);
    if (!result) return;
    const { undone, approved, waiting } = result;
    const sentences = [
      undone.length === 0 ? labels.nothing : `${formatChangeCount(undone.length)} ${labels.done}.`,
      ...(approved.length === 0 ? [] : [`Scheduled again: ${formatPlans(approved, studio.timezone)}.`]),
      ...(waiting.length === 0 ? [] : [`Waits for approval: ${formatPlans(waiting, studio.timezone)}.`]),
    ];
    showToast({ text: sentences.join(" ") });
  }

  return (
    <div className="mt-2">
      <Button variant="quiet" onClick={() => void run(undo)} busyLabel={isRunning && labels.busy}>
        {labels.action}
      </Button>
      {error !== undefined && <ErrorMessage error={error} />}
      {dialog}
    </div>
  );
}
