import { useState } from "react";
import type { UndoResult } from "../api/history-queries.ts";
import { Button } from "../ui/Button.tsx";
import { List } from "../ui/List.tsx";
import { UndoConflicts } from "./UndoConflicts.tsx";
import {
  describeCommentUndo,
  describeUndo,
  formatCommentCount,
  groupBySubject,
  listComments,
  type UndoneField,
} from "./labels.ts";
import { SubjectName } from "./SubjectName.tsx";
import { UndoPublications } from "./UndoPublications.tsx";
import { useSubject } from "./use-subject.ts";

/** Each row loads the name of its post or file, so long lists are shown in parts. */
const pageSize = 30;

const rowClasses = "grid grid-cols-1 gap-x-8 gap-y-1 py-4 sm:grid-cols-2";
const nameClasses = "m-0 font-medium [overflow-wrap:anywhere]";

/** What an undo changed or would change, per post and file, and its conflicts. */
export function UndoReport({
  report,
  isDone,
  isUndoOfUndo = false,
  clientName,
}: {
  report: Pick<UndoResult, "undone" | "conflicts" | "publications">;
  isDone: boolean;
  /** Whether this undid an earlier undo, which brings the client's changes back. */
  isUndoOfUndo?: boolean;
  clientName: string;
}) {
  const [limit, setLimit] = useState(pageSize);
  const groups = groupBySubject(report.undone);
  const comments = listComments(report.undone);
  return (
    <>
      <List aria-label={isDone ? "Undone" : "What would be undone"}>
        {groups.slice(0, limit).map(({ type, id, entries }) => (
          <UndoRow key={id} type={type} id={id} entries={entries} isDone={isDone} isUndoOfUndo={isUndoOfUndo} />
        ))}
        {comments.length > 0 && (
          <li className={rowClasses}>
            <p className={nameClasses}>{formatCommentCount(comments.length)}</p>
            <p className="m-0 self-center text-muted">
              {describeCommentUndo(
                comments.map(({ field }) => field),
                isDone,
              )}
            </p>
          </li>
        )}
        <UndoPublications
          publications={report.publications}
          isDone={isDone}
          rowClassName={rowClasses}
          nameClassName={nameClasses}
        />
      </List>
      {groups.length > limit && (
        <p>
          <Button variant="quiet" onClick={() => setLimit(limit + pageSize)}>
            Show more
          </Button>
        </p>
      )}
      {report.conflicts.length > 0 && <UndoConflicts conflicts={report.conflicts} clientName={clientName} />}
    </>
  );
}

function UndoRow({
  type,
  id,
  entries,
  isDone,
  isUndoOfUndo,
}: {
  type: "post" | "asset";
  id: string;
  entries: readonly UndoneField[];
  isDone: boolean;
  isUndoOfUndo: boolean;
}) {
  const subject = useSubject(type, id);
  return (
    <li className={rowClasses}>
      <p className={nameClasses}>
        <SubjectName type={type} id={id} />
      </p>
      <p className="m-0 self-center text-muted">
        {describeUndo(
          entries.map(({ field }) => field),
          isDone,
          subject,
          isUndoOfUndo,
        )}
      </p>
    </li>
  );
}
