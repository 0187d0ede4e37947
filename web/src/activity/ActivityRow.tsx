import { Link } from "@tanstack/react-router";
import type { Activity } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { exactTime } from "../ui/Time.tsx";
import { actorOf, changeIn, verbFor } from "./words.ts";

export function ActivityRow({ row }: { row: Activity }) {
  const { studio } = useStudio();
  const change = changeIn(row);
  return (
    <li className="activity-row">
      <time dateTime={row.at} title={exactTime(row.at, studio.timezone)}>
        {timeOf(row.at, studio.timezone)}
      </time>
      <div className="min-w-0">
        <p className="m-0 [overflow-wrap:anywhere]">
          <strong className="font-semibold">{actorOf(row)}</strong> {verbFor(row.action)} <Subject row={row} />
        </p>
        {(change !== "" || row.client) && (
          <p className="mt-0 text-sm text-muted [overflow-wrap:anywhere]">
            {row.client && <span className="text-accent">through {row.client.name}</span>}
            {row.client && change !== "" && " · "}
            {change}
          </p>
        )}
      </div>
    </li>
  );
}

function Subject({ row }: { row: Activity }) {
  const { studio } = useStudio();
  const onPost = row.detail["postId"];
  if (typeof onPost === "string") {
    return (
      <Link to="/studios/$studioId/posts/$postId" params={{ studioId: studio.id, postId: onPost }}>
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

function timeOf(at: string, timezone: string): string {
  return new Intl.DateTimeFormat("en", { timeStyle: "short", hourCycle: "h23", timeZone: timezone }).format(
    new Date(at),
  );
}
