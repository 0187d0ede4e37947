import { useState } from "react";
import type { UndoResult } from "../api/history-queries.ts";
import { Button } from "../ui/Button.tsx";
import { List } from "../ui/List.tsx";
import { UndoConflicts } from "./UndoConflicts.tsx";
import { describeCommentUndo, describeUndo, formatCommentCount, groupBySubject, listComments } from "./labels.ts";
import { SubjectName } from "./SubjectName.tsx";
import { UndoPublications } from "./UndoPublications.tsx";

/** Long lists are shown in parts. */
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
  report: UndoResult;
  isDone: boolean;
  /** Whether this undid an earlier undo, which reapplies the client's changes. */
  isUndoOfUndo?: boolean;
  clientName: string;
}) {
  const [limit, setLimit] = useState(pageSize);
  const groups = groupBySubject(report.undone, report.subjects);
  const comments = listComments(report.undone);
  const doneLabel = isUndoOfUndo ? "Reapplied" : "Undone";
  return (
    <>
      <List aria-label={isDone ? doneLabel : "What would be undone"}>
        {groups.slice(0, limit).map(({ type, subject, entries }) => (
          <li key={subject.id} className={rowClasses}>
            <p className={nameClasses}>
              <SubjectName type={type} subject={subject} />
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
      {report.conflicts.length > 0 && <UndoConflicts report={report} clientName={clientName} />}
    </>
  );
}
