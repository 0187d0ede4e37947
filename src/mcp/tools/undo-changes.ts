import { undoChangesInput, undoChangesOutput, undoOwnChanges } from "#domain/undo/undo-changes.ts";
import { defineTool } from "../define-tool.ts";

export const undoChangesTool = defineTool({
  name: "undo_changes",
  title: "Undo your changes",
  description:
    "Undo everything that you changed for this user in this studio since a time. Your edits are reverted, posts that you created move to the trash, and posts and assets that you deleted are restored. " +
    "Call it with dryRun first and show the user the result. Fields that someone else changed after you keep their values and are listed as conflicts. " +
    "To undo the undo, call it again with the time of the undo.",
  scope: "studio:write",
  action: "clients.undo",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: undoChangesInput,
  output: undoChangesOutput,
  run: undoOwnChanges,
});
