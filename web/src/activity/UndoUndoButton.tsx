import { useQueryClient } from "@tanstack/react-query";
import { undoUndo } from "../api/mutations.ts";
import { refreshQueries } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { formatChangeCount } from "../undo/labels.ts";

/** Undoes an earlier undo of an AI client's changes. This is recorded as another undo, which has this button too. */
export function UndoUndoButton({ undoId }: { undoId: string }) {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const showToast = useToast();
  const { isRunning, error, run } = useAction();

  async function undo(): Promise<void> {
    const { undone } = await undoUndo(studio.id, undoId);
    await refreshQueries(queryClient, studio.id);
    showToast({ text: undone.length === 0 ? "Nothing left to undo." : `${formatChangeCount(undone.length)} undone.` });
  }

  return (
    <div className="mt-2">
      <Button variant="quiet" onClick={() => void run(undo)} busyLabel={isRunning && "Undoing…"}>
        Undo this undo
      </Button>
      {error !== undefined && <ErrorMessage error={error} />}
    </div>
  );
}
