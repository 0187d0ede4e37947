import type { ChangeSelection } from "../history/ports.ts";
import type { Editor } from "../history/record.ts";
import type { Publication } from "../publishing/ports.ts";
import { cancelAll } from "../publishing/revise-publications.ts";
import { statesBefore } from "../publishing/states.ts";
import type { UndoReport } from "./report.ts";
import type { UndoDeps } from "./undo-post.ts";

/** Reports the publications that the client requested, as undo leaves them. */
export async function previewPublications(
  deps: UndoDeps,
  studioId: string,
  selection: ChangeSelection,
): Promise<UndoReport["publications"]> {
  return (await listRequested(deps, studioId, selection)).map(toReported);
}

/** Cancels the publications that the client requested and that have not started. */
export async function undoPublications(
  deps: UndoDeps,
  editor: Editor,
  selection: ChangeSelection,
): Promise<UndoReport["publications"]> {
  const requested = await listRequested(deps, editor.studio.id, selection);
  await deps.transact((tx) => cancelAll(deps, tx, editor, requested.filter(isCancelable)));
  return requested.map(toReported);
}

async function listRequested(
  { publications }: UndoDeps,
  studioId: string,
  selection: ChangeSelection,
): Promise<Publication[]> {
  if ("undoId" in selection) return [];
  const requested = await publications.listRequested(studioId, selection);
  return requested.filter((publication) => publication.state === "published" || isCancelable(publication));
}

const isCancelable = ({ state }: Publication): boolean => statesBefore("cancel").includes(state);

const toReported = (publication: Publication) => ({
  id: publication.id,
  state: isCancelable(publication) ? "canceled" : publication.state,
});
