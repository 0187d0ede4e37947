import { Link } from "@tanstack/react-router";
import type { Activity } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatExactTime } from "../ui/RelativeTime.tsx";
import { UndoUndoButton } from "./UndoUndoButton.tsx";
import { getActorName, describeChange, getActionVerb } from "./labels.ts";

export function ActivityRow({ row }: { row: Activity }) {
  const { studio, may } = useStudio();
  const change = describeChange(row);
  return (
    <li className="grid grid-cols-1 gap-x-4 py-2 sm:grid-cols-[6rem_minmax(0,1fr)]">
      <time
        className="text-muted tabular-nums max-sm:text-sm"
        dateTime={row.at}
        title={formatExactTime(row.at, studio.timezone)}
      >
        {formatTime(row.at, studio.timezone)}
      </time>
      <div className="min-w-0">
        <p className="m-0 [overflow-wrap:anywhere]">
          <strong className="font-semibold">{getActorName(row)}</strong> {getActionVerb(row.action)}{" "}
          <Subject row={row} />
        </p>
        {change !== "" && <p className="mt-0 text-sm text-muted [overflow-wrap:anywhere]">{change}</p>}
        {row.action === "client.undone" && may("clients.undo") && <UndoUndoButton undoId={row.id} />}
      </div>
    </li>
  );
}

function Subject({ row }: { row: Activity }) {
  const { studio } = useStudio();
  if (row.action.startsWith("publication.") && row.subjectId !== null) {
    return (
      <Link
        to="/studios/$studioId/publications/$publicationId"
        params={{ studioId: studio.id, publicationId: row.subjectId }}
      >
        {row.subjectName ?? "a publication"}
      </Link>
    );
  }
  const postId = row.detail["postId"];
  if (typeof postId === "string") {
    return (
      <Link to="/studios/$studioId/posts/$postId" params={{ studioId: studio.id, postId }}>
        {row.action === "asset.requested" ? "for a post" : "a post"}
      </Link>
    );
  }
  if (row.subjectId === null || row.subjectName === null || row.subjectId === row.user?.id) return null;
  if (!row.action.startsWith("post.")) return <strong className="font-semibold">{row.subjectName}</strong>;
  return (
    <Link to="/studios/$studioId/posts/$postId" params={{ studioId: studio.id, postId: row.subjectId }}>
      {row.subjectName}
    </Link>
  );
}

function formatTime(at: string, timezone: string): string {
  return new Intl.DateTimeFormat("en", { timeStyle: "short", hourCycle: "h23", timeZone: timezone }).format(
    new Date(at),
  );
}
