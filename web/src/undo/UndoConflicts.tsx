import type { UndoResult } from "../api/history-queries.ts";
import type { Post } from "../api/queries.ts";
import {
  formatCommentCount,
  formatValue,
  getFieldLabel,
  groupBySubject,
  listComments,
  type UndoConflict,
  type UndoSubject,
} from "./labels.ts";
import { SubjectName } from "./SubjectName.tsx";
import { VariantsValue } from "./VariantsValue.tsx";

/** Fields that another user or client changed later. An undo does not change them, so both values are shown. */
export function UndoConflicts({
  report: { conflicts, subjects },
  clientName,
}: {
  report: Pick<UndoResult, "conflicts" | "subjects">;
  clientName: string;
}) {
  const commentCount = listComments(conflicts).length;
  return (
    <section className="mt-6" aria-labelledby="conflicts">
      <h2 id="conflicts">Kept because of later changes</h2>
      <p className="mt-1 text-muted">
        These were changed again after {clientName} changed them, so the later version is kept.
      </p>
      <ul className="mt-4 grid gap-6">
        {groupBySubject(conflicts, subjects).map(({ type, subject, entries }) => (
          <li key={subject.id} className="border-l-2 border-rule pl-4">
            <p className="m-0 font-medium [overflow-wrap:anywhere]">
              <SubjectName type={type} subject={subject} />
            </p>
            {entries.map((conflict) => (
              <ConflictValues key={conflict.field} subject={subject} conflict={conflict} clientName={clientName} />
            ))}
          </li>
        ))}
        {commentCount > 0 && (
          <li className="border-l-2 border-rule pl-4">
            <p className="m-0 font-medium">{formatCommentCount(commentCount)}</p>
            <p className="mt-1 text-muted">Removed or restored by someone since.</p>
          </li>
        )}
      </ul>
    </section>
  );
}

function ConflictValues({
  subject,
  conflict,
  clientName,
}: {
  subject: UndoSubject;
  conflict: UndoConflict;
  clientName: string;
}) {
  const { field, clientValue, currentValue } = conflict;
  if (field === "created")
    return <p className="mt-1 text-muted">{clientName} created this post, and someone has edited it since.</p>;
  return (
    <div className="mt-2">
      <p className="m-0 text-sm text-muted">{getFieldLabel(field)}</p>
      <dl className="mt-1 grid grid-cols-1 gap-3 sm:grid-cols-2">
        {[[`By ${clientName}`, clientValue] as const, ["Now", currentValue] as const].map(([label, value]) => (
          <div key={label} className="min-w-0 rounded-sm border border-rule p-3">
            <dt className="text-sm text-muted">{label}</dt>
            <dd className="mt-1 line-clamp-6 whitespace-pre-wrap [overflow-wrap:anywhere]">
              {field === "variants" && Array.isArray(value) ? (
                <VariantsValue subject={subject} variants={value as Post["variants"]} />
              ) : (
                formatValue(field, value)
              )}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
