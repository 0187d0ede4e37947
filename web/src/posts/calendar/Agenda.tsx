import { Plus } from "lucide-react";
import { Fragment } from "react";
import { formatAccount } from "../../platforms/format-account.ts";
import { getPlatformName } from "../../platforms/platform-name.ts";
import { stateLabels } from "../../publishing/publication-states.ts";
import { IconBadge } from "../../ui/IconBadge.tsx";
import { IconButton } from "../../ui/IconButton.tsx";
import { Thumbnail } from "../../ui/Thumbnail.tsx";
import { stateColors, stateIcons } from "../AccountStates.tsx";
import { TextThumbnail } from "../TextThumbnail.tsx";
import { formatLongDay } from "./calendar-days.ts";
import { FreeSlots } from "./FreeSlots.tsx";
import { groupBySlot, type EntryGroup } from "./group-entries.ts";
import type { GridProps } from "./MonthGrid.tsx";

/** The planned and published posts of a month, day by day. Today is among the days although nothing is planned. */
export function Agenda({
  days = [],
  groups,
  freeSlots = [],
  today,
  isFiltered = false,
  onOpen,
  onOpenSlot,
  onCreate,
}: Pick<GridProps, "groups" | "today" | "onOpen"> &
  Partial<Pick<GridProps, "days" | "freeSlots" | "onCreate" | "onOpenSlot">> & {
    /** Whether a day can have other posts than those in `groups`. */
    isFiltered?: boolean;
  }) {
  const hasThumbnails = groups.some(({ post }) => post.thumbnail);
  const plannedDays = groupBySlot(groups, "day");
  const isTodayEmpty = !isFiltered && groups.length > 0 && days.includes(today) && !plannedDays.has(today);
  const slotsByDay = groupBySlot(freeSlots, "day");
  const shownDays = new Set([...plannedDays.keys(), ...slotsByDay.keys(), ...(isTodayEmpty ? [today] : [])]);
  const groupsByDay = [...shownDays].toSorted().map((day) => [day, plannedDays.get(day) ?? []] as const);
  return groupsByDay.map(([day, dayGroups]) => (
    <section key={day} aria-label={formatLongDay(day)} className="mb-4">
      <div className="sticky top-notice z-1 flex min-h-control-small items-center justify-between bg-paper py-1.5 max-md:top-13">
        <h3 className={day === today ? "text-accent" : "text-muted"}>
          {day === today ? `Today, ${formatLongDay(day)}` : formatLongDay(day)}
        </h3>
        {onCreate && day >= today && (
          <IconButton
            icon={Plus}
            size="small"
            label={`New post on ${formatLongDay(day)}`}
            className="-my-1.5"
            onClick={() => onCreate(day)}
          />
        )}
      </div>
      {dayGroups.length === 0 && !slotsByDay.has(day) && <p className="m-0 text-sm text-muted">Nothing planned.</p>}
      <ul className="grid grid-cols-1 gap-1.5 empty:hidden">
        {dayGroups.map((group) => (
          <AgendaItem key={group.id} group={group} hasThumbnail={hasThumbnails} onOpen={onOpen} />
        ))}
      </ul>
      {onOpenSlot && <FreeSlots slots={slotsByDay.get(day) ?? []} onOpen={onOpenSlot} />}
    </section>
  ));
}

function AgendaItem({
  group,
  hasThumbnail,
  onOpen,
}: {
  group: EntryGroup;
  /** Whether any post of the agenda has a thumbnail, so that this one needs something in its place. */
  hasThumbnail: boolean;
  onOpen: (group: EntryGroup) => void;
}) {
  const { post, state, localTime, entries } = group;
  return (
    <li>
      <button
        type="button"
        className="flex min-h-14 w-full cursor-pointer items-center gap-3 rounded-md border border-rule bg-raised px-3 py-2 text-left hover:border-control"
        onClick={() => onOpen(group)}
      >
        <span className="w-11 flex-none font-medium tabular-nums">{localTime.slice(11)}</span>
        {post.thumbnail && <Thumbnail asset={{ ...post.thumbnail, altText: "" }} size="small" />}
        {!post.thumbnail && hasThumbnail && <TextThumbnail className="size-9" />}
        <span className="min-w-0 flex-1">
          <span className="line-clamp-2 font-medium [overflow-wrap:anywhere]">{post.title}</span>
          <span className="flex flex-wrap items-center gap-x-1.5 text-sm text-muted">
            <IconBadge icon={stateIcons[state]} label={stateLabels[state]} color={stateColors[state]} />
            <span className="[overflow-wrap:anywhere] sm:line-clamp-2">
              {entries.map(({ id, account, platform }, i) => (
                <Fragment key={id}>
                  {i > 0 && " "}
                  {/* Only an account that is longer than the line breaks. */}
                  <span className="inline-block max-w-full">
                    {formatAccount(account, getPlatformName(platform))}
                    {i < entries.length - 1 && ","}
                  </span>
                </Fragment>
              ))}
            </span>
          </span>
        </span>
      </button>
    </li>
  );
}
