import type { ChangeSelection } from "../history/ports.ts";
import type { Editor } from "../changes/editor.ts";
import type { Publication } from "../publishing/ports.ts";
import { cancelBatchSize, cancelPublications } from "../changes/change-publication.ts";
import { statesBefore, toVisibleState, type PublicationState } from "../publishing/states.ts";
import type { UndoReport } from "./report.ts";
import type { UndoDeps } from "./undo-post.ts";

/** Reports the publications that the client requested, as undo would leave them. */
export async function simulateUndoOfPublications(
  deps: UndoDeps,
  studioId: string,
  selection: ChangeSelection,
): Promise<UndoReport["publications"]> {
  const reportedPublications = await listRequested(deps, studioId, selection, isReported);
  return reportedPublications.map((publication) => ({
    id: publication.id,
    state: isCancelable(publication) ? "canceled" : toVisibleState(publication.state),
  }));
}

/**
 * Cancels the publications that the client requested and that have not started. Reports the state of each afterwards,
 * because a worker may have started one in the meantime.
 */
export async function undoPublications(
  deps: UndoDeps,
  editor: Editor,
  selection: ChangeSelection,
): Promise<UndoReport["publications"]> {
  const reportedIds = new Set<string>();
  for (;;) {
    const reportedPublications = await listRequested(
      deps,
      editor.studio.id,
      selection,
      (publication) => isReported(publication) || reportedIds.has(publication.id),
    );
    const cancelablePublications = reportedPublications.filter(isCancelable);
    if (cancelablePublications.length === 0)
      return reportedPublications.map(({ id, state }) => ({ id, state: toVisibleState(state) }));
    for (const { id } of reportedPublications) reportedIds.add(id);
    for (let i = 0; i < cancelablePublications.length; i += cancelBatchSize) {
      const batch = cancelablePublications.slice(i, i + cancelBatchSize);
      await deps.transact(editor, (tx) => cancelPublications(deps, tx, editor, batch));
    }
  }
}

/** Publications per statement. */
const pageSize = 200;

/** Selects page by page, so that no turn of the event loop compares thousands. */
async function listRequested(
  deps: UndoDeps,
  studioId: string,
  selection: ChangeSelection,
  isSelected: (publication: Publication) => boolean,
): Promise<Publication[]> {
  if ("undoId" in selection) return [];
  const selectedPublications: Publication[] = [];
  for (let after: string | undefined = ""; after !== undefined;) {
    const page = await deps.publications.listRequested(studioId, selection, after, pageSize);
    selectedPublications.push(...page.publications.filter(isSelected));
    after = page.next;
  }
  return selectedPublications;
}

const cancelableStates = statesBefore("cancel");
const isCancelable = ({ state }: Publication): boolean => cancelableStates.includes(state);

/** What these publications send is public or may still become public, so they stay, and the report lists them. */
const startedStates: readonly PublicationState[] = ["preparing", "committing", "unconfirmed", "published"];

const isReported = (publication: Publication): boolean =>
  isCancelable(publication) || startedStates.includes(publication.state);
