import type { ChangeSelection } from "../ports/history.ts";
import type { Editor } from "../changes/editor.ts";
import type { Publication } from "../model/publication.ts";
import { ConflictError, retryOnConflict } from "../model/conflict.ts";
import { cancelBatchSize, cancelPublications } from "../changes/change-publication.ts";
import { canHappen, type PublicationState, toVisibleState } from "../model/publication-states.ts";
import type { UndoReport } from "./report.ts";
import type { UndoDeps } from "./undo-post.ts";

/**
 * Reports the publications that the client requested, as undo leaves them. With `editor`, cancels those that have not
 * started, and reports the state of each afterwards, because a worker may have started one in the meantime.
 */
export async function undoPublications(
  deps: UndoDeps,
  studioId: string,
  selection: ChangeSelection,
  editor?: Editor,
): Promise<UndoReport["publications"]> {
  const report: UndoReport["publications"] = [];
  for await (const publications of listReported(deps, studioId, selection)) {
    const ids = publications.map(({ id }) => id);
    const mustCancel = editor && publications.some(isCancelable);
    for (const publication of mustCancel ? await cancelAll(deps, editor, ids) : publications)
      report.push({
        id: publication.id,
        state: isCancelable(publication) ? "canceled" : toVisibleState(publication.state),
      });
  }
  return report;
}

/** Cancels those of the publications that have not started, and returns all of them as they are then. */
const cancelAll = (deps: UndoDeps, editor: Editor, ids: readonly string[]): Promise<Publication[]> =>
  retryOnConflict(() =>
    deps.transact(editor, async (tx) => {
      const publications = await tx.publications.listByIds(editor.studio.id, ids);
      await cancelPublications(deps, tx, editor, publications.filter(isCancelable));
      const finalPublications = await tx.publications.listByIds(editor.studio.id, ids);
      if (finalPublications.some(isCancelable)) throw new ConflictError();
      return finalPublications;
    }),
  );

/** Returns pages, because all publications of a studio would need too much memory and a long turn of the event loop. */
async function* listReported(
  deps: UndoDeps,
  studioId: string,
  selection: ChangeSelection,
): AsyncGenerator<Publication[], void> {
  if ("undoId" in selection) return;
  for (let after: string | undefined = ""; after !== undefined;) {
    const page = await deps.publications.listRequested(studioId, selection, after, cancelBatchSize);
    yield page.publications.filter(isReported);
    after = page.next;
  }
}

const isCancelable = (publication: Publication): boolean => canHappen("cancel", publication);

/** What these publications send is public or may still become public, so they stay, and the report lists them. */
const startedStates: readonly PublicationState[] = ["scheduled", "preparing", "committing", "unconfirmed", "published"];

const isReported = (publication: Publication): boolean =>
  isCancelable(publication) || startedStates.includes(publication.state);
