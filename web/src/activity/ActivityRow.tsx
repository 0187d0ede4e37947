import { getRouteApi, Link } from "@tanstack/react-router";
import type { Activity } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Avatar } from "../ui/Avatar.tsx";
import { Disclosure } from "../ui/Disclosure.tsx";
import { DotSeparated } from "../ui/DotSeparated.tsx";
import { formatExactTime, formatTimeOfDay } from "../ui/format-time.ts";
import { ActivitySentence } from "./ActivitySentence.tsx";
import { describeChange, describeChanges } from "./describe-change.ts";
import type { ActivityGroup } from "./group-activity.ts";
import { getActingClient, getActorName } from "./labels.ts";
import { UndoUndoButton } from "./UndoUndoButton.tsx";

const route = getRouteApi("/studios/$studioId/activity");

/** One entry, or several that belong together and that the user can expand. */
export function ActivityRow({ group }: { group: ActivityGroup<Activity> }) {
  const { may } = useStudio();
  const { newest, entries } = group;
  const client = getActingClient(newest);
  const isSingle = entries.length === 1;
  const change = isSingle ? describeChange(newest) : [describeChanges(entries)].filter((part) => part !== "");
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-3 py-2">
      <span className="self-start">
        <Avatar name={newest.user?.name ?? getActorName(newest)} client={client} />
      </span>
      <div className="min-w-0 pt-0.5">
        <p className="m-0 [overflow-wrap:anywhere]">
          <ActorName entry={newest} />
          {client && ","} <ActivitySentence group={group} />
        </p>
        {change.length > 0 && (
          <p className="m-0 text-sm text-muted [overflow-wrap:anywhere]">
            <DotSeparated parts={change} />
          </p>
        )}
        {!isSingle && <GroupedEntries group={group} />}
        {newest.action === "client.undone" && may("clients.undo") && <UndoUndoButton undo={newest} />}
      </div>
      <EntryTime at={newest.at} />
    </li>
  );
}

/** The name of who acted, as a link to everything that the same user or AI client did. */
function ActorName({ entry }: { entry: Activity }) {
  const { userId, clientId } = route.useSearch();
  const name = getActorName(entry);
  const client = getActingClient(entry);
  const isFilteredByActor = client ? client.id === clientId : entry.user?.id === userId;
  if ((!client && !entry.user) || isFilteredByActor) return <strong className="font-semibold">{name}</strong>;
  return (
    <Link
      from={route.id}
      to="."
      search={({ action }) => ({
        ...(action ? { action } : {}),
        ...(client ? { clientId: client.id } : { userId: entry.user?.id }),
      })}
      title={`Show only ${client?.name ?? name}’s activity`}
      className="font-semibold text-ink no-underline hover:text-accent hover:underline"
    >
      {name}
    </Link>
  );
}

function GroupedEntries({ group: { entries } }: { group: ActivityGroup<Activity> }) {
  return (
    <Disclosure
      className="group/entries pointer-coarse:-mt-1 pointer-coarse:not-open:-mb-2"
      summary={
        <>
          <span className="group-open/entries:hidden">Show {entries.length} entries</span>
          <span className="hidden group-open/entries:inline">Hide entries</span>
        </>
      }
    >
      {/* Extends under the time of the group, so that all times are in one column. */}
      <ul className="mt-1 -mr-13 mb-2 grid gap-1 border-l border-rule pl-3">
        {entries.map((entry) => {
          const change = describeChange(entry);
          return (
            <li
              key={entry.id}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 text-sm [overflow-wrap:anywhere]"
            >
              <span className="block first-letter:capitalize">
                <ActivitySentence group={{ newest: entry, entries: [entry] }} />
                {change.length > 0 && (
                  <span className="block text-muted">
                    <DotSeparated parts={change} />
                  </span>
                )}
              </span>
              <EntryTime at={entry.at} />
            </li>
          );
        })}
      </ul>
    </Disclosure>
  );
}

function EntryTime({ at }: { at: string }) {
  const { studio } = useStudio();
  return (
    <time
      className="w-10 text-right text-sm text-muted tabular-nums"
      dateTime={at}
      title={formatExactTime(at, studio.timezone)}
    >
      {formatTimeOfDay(at, studio.timezone)}
    </time>
  );
}
