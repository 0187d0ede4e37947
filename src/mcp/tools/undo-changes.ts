import { undoChangesInput, undoChangesOutput, undoOwnChanges } from "#domain/undo/undo-changes.ts";
import { defineTool } from "../define-tool.ts";

export const undoChangesTool = defineTool({
  name: "undo_changes",
  title: "Undo your changes",
  description:
    "Undo what you changed for this user in this studio since a time: edits are reverted, posts you created go to the trash, what you deleted is restored, your comments are removed. Call it with dryRun first and show the user the result. Fields that someone else changed later stay and are listed as conflicts. To undo the undo, call it again with the time of the undo.",
  action: "clients.undo",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: undoChangesInput,
  output: undoChangesOutput,
  run: undoOwnChanges,
});
