import type { ReactNode } from "react";
import type { UndoResult } from "../api/history-queries.ts";
import { previewUndoUndo, undoUndo } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useApprovalDialog } from "./use-approval-dialog.tsx";

/**
 * Undoes an earlier undo, after the user has chosen which publications are scheduled again; undefined if the user
 * cancels. The component has to render `dialog`.
 */
export function useUndoUndo(): {
  runUndoUndo: (undoId: string, title: string) => Promise<UndoResult | undefined>;
  dialog: ReactNode;
} {
  const { studio } = useStudio();
  const { chooseApprovals, dialog } = useApprovalDialog();
  return {
    runUndoUndo: async (undoId, title) => {
      const { approvable } = await previewUndoUndo({ studioId: studio.id, undoId });
      const approve = await chooseApprovals(approvable, { title, action: title });
      return approve && undoUndo({ studioId: studio.id, undoId }, { approve });
    },
    dialog,
  };
}
