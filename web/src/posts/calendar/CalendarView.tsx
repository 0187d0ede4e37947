import { DndContext, DragOverlay } from "@dnd-kit/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CalendarClock, SearchX } from "lucide-react";
import { useMemo, useState, type ComponentProps } from "react";
import { calendarQuery, type PostSummary } from "../../api/summary-queries.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { SchedulePostDialog } from "../../publishing/SchedulePostDialog.tsx";
import { getEndOfDay, getStartOfDay, toLocalTime } from "#portable/zoned-time.ts";
import type { PostSearch } from "../../search-params.ts";
import { ButtonLink } from "../../ui/Button.tsx";
import { labelClearButton } from "../../ui/describe-no-match.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { QueryStatus } from "../../ui/QueryStatus.tsx";
import { useToast } from "../../ui/Toasts.tsx";
import { useMediaQuery } from "../../ui/use-media-query.ts";
import { useNow } from "../../ui/use-now.ts";
import { useDragSensors } from "../drag-and-drop.ts";
import { PostFilters } from "../PostFilters.tsx";
import { toSharedFilter } from "../to-summary-filter.ts";
import { AccountFilter, splitIds } from "./AccountFilter.tsx";
import { Agenda } from "./Agenda.tsx";
import { listDays, stepRange, type CalendarRange } from "./calendar-days.ts";
import { CalendarCard } from "./CalendarCard.tsx";
import { CalendarToolbar, type CalendarChange } from "./CalendarToolbar.tsx";
import {
  announcements,
  findCalendarTarget,
  getFreeSlot,
  screenReaderInstructions,
  type DragData,
} from "./calendar-drag.ts";
import { getNeighbor, suggestTimeAt } from "./calendar-slots.ts";
import { EntryDialog } from "./EntryDialog.tsx";
import { toFreeSlots, type FreeSlot } from "./FreeSlots.tsx";
import { groupEntries, type EntryGroup } from "./group-entries.ts";
import { MonthGrid } from "./MonthGrid.tsx";
import { SlotDialog } from "./SlotDialog.tsx";
import { DraggedPost, UnscheduledPosts } from "./UnscheduledPosts.tsx";
import { useNewPostDialog } from "./use-new-post-dialog.tsx";
import { useReschedule } from "./use-reschedule.ts";
import { WeekGrid } from "./WeekGrid.tsx";

type PostToSchedule = Pick<
  ComponentProps<typeof SchedulePostDialog>,
  "postId" | "revision" | "localTime" | "initialIds"
>;

/** When posts go out or went out. Cards can be dragged to another time, and unscheduled posts to a day. */
export function CalendarView({ search }: { search: PostSearch }) {
  const { studio, may } = useStudio();
  const navigate = useNavigate({ from: "/studios/$studioId/posts" });
  const isNarrow = useMediaQuery("(max-width: 47.99rem)");
  const range: CalendarRange = isNarrow ? "agenda" : (search.range ?? "month");
  const now = useNow((instant) => toLocalTime(instant, studio.timezone));
  const today = now.slice(0, 10);
  const date = search.date ?? today;
  const days = listDays(range, date);
  const filter = toSharedFilter(search);
  const canPlan = may("publications.request");
  const calendar = useQuery(
    calendarQuery(studio.id, getTimeRange(days, studio.timezone), {
      ...filter,
      ...(canPlan ? { includeSlots: "true" } : {}),
    }),
  );
  const freeSlots = useMemo(
    () => toFreeSlots(calendar.data, splitIds(search.accounts), studio.timezone),
    [calendar.data, studio.timezone, search.accounts],
  );
  const groups = useMemo(
    () => groupEntries(calendar.data?.entries ?? [], studio.timezone, splitIds(search.accounts)),
    [calendar.data, studio.timezone, search.accounts],
  );
  const reschedule = useReschedule();
  const showToast = useToast();
  const [openedGroup, setOpenedGroup] = useState<EntryGroup>();
  const [draggedItem, setDraggedItem] = useState<DragData>();
  const [openedSlot, setOpenedSlot] = useState<FreeSlot>();
  const [postToSchedule, setPostToSchedule] = useState<PostToSchedule>();
  const { onCreate, newPostDialog } = useNewPostDialog();
  const sensors = useDragSensors(getNeighbor);

  /** Changes the range and day in the URL, which may be newer than the rendered ones. */
  function show(change: CalendarChange): void {
    void navigate({
      search: ({ range: currentRange, date: currentDate, ...others }) => {
        const nextRange = change.range ?? currentRange ?? "month";
        const chosenDate = "date" in change ? change.date : currentDate;
        const nextDate = change.step ? stepRange(range, chosenDate ?? today, change.step) : chosenDate;
        return {
          ...others,
          ...(nextRange === "month" ? {} : { range: nextRange }),
          ...(nextDate === undefined || nextDate === today ? {} : { date: nextDate }),
        };
      },
    });
  }

  function scheduleInSlot({ id: postId, revision }: PostSummary, { connectionId, localTime }: FreeSlot): void {
    setOpenedSlot(undefined);
    setPostToSchedule({ postId, revision, localTime, initialIds: [connectionId] });
  }

  function drop({ group, post }: DragData, slot: string, freeSlot: FreeSlot | undefined): void {
    if (group && freeSlot) return void reschedule(group, freeSlot.localTime);
    if (post && freeSlot) return scheduleInSlot(post, freeSlot);
    // A card keeps the part of its time that the slot leaves open: the time of day, or the minutes.
    if (group) void reschedule(group, `${slot}${group.localTime.slice(slot.length)}`);
    if (!post) return;
    const localTime = suggestTimeAt(slot, studio.timezone);
    if (localTime === undefined) showToast({ text: "That time is in the past. Choose a later time." });
    else setPostToSchedule({ postId: post.id, revision: post.revision, localTime });
  }

  const actions = { onOpen: setOpenedGroup, onOpenSlot: setOpenedSlot, onCreate };
  const gridProps = { days, groups, freeSlots, today, now, canDrag: canPlan, ...actions };
  return (
    <>
      <CalendarToolbar range={range} date={date} hasRanges={!isNarrow} onShow={show} />
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <PostFilters search={search} hasArchivedFilter={false}>
          <AccountFilter accountIds={splitIds(search.accounts)} calendar={calendar.data} />
        </PostFilters>
      </div>
      <QueryStatus query={calendar} />
      {calendar.data?.isTruncated === true && (
        <p className="mt-0 mb-3 text-sm text-warning">
          Only the first 1,000 publications are shown.{range !== "week" && !isNarrow && " Choose a week."}
        </p>
      )}
      <DndContext
        sensors={sensors}
        collisionDetection={findCalendarTarget}
        accessibility={{ announcements, screenReaderInstructions }}
        onDragStart={({ active }) => setDraggedItem(active.data.current)}
        onDragCancel={() => setDraggedItem(undefined)}
        onDragEnd={({ active, over }) => {
          setDraggedItem(undefined);
          if (over) drop(active.data.current as DragData, String(over.id), getFreeSlot(over));
        }}
      >
        <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_15rem]">
          <div className="min-w-0">
            {range === "month" && (
              <MonthGrid
                {...gridProps}
                month={date.slice(0, 7)}
                onShowDay={(day) => show({ range: "week", date: day })}
              />
            )}
            {range === "week" && <WeekGrid {...gridProps} />}
            {range === "agenda" && <Agenda {...gridProps} isFiltered={hasFilter(search)} />}
            {calendar.isSuccess && groups.length === 0 && (range !== "agenda" || freeSlots.length === 0) && (
              <NothingPlanned search={search} range={range} />
            )}
          </div>
          <UnscheduledPosts
            filter={filter}
            canDrag={range !== "agenda"}
            onSchedule={canPlan ? ({ id, revision }) => setPostToSchedule({ postId: id, revision }) : undefined}
          />
        </div>
        <DragOverlay dropAnimation={null}>
          {draggedItem?.group && <CalendarCard group={draggedItem.group} className="cursor-grabbing shadow-overlay" />}
          {draggedItem?.post && <DraggedPost post={draggedItem.post} />}
        </DragOverlay>
      </DndContext>
      {postToSchedule && <SchedulePostDialog {...postToSchedule} onClose={() => setPostToSchedule(undefined)} />}
      {newPostDialog}
      {openedSlot && (
        <SlotDialog
          slot={openedSlot}
          onChoose={(post) => scheduleInSlot(post, openedSlot)}
          onClose={() => setOpenedSlot(undefined)}
        />
      )}
      {openedGroup && (
        <EntryDialog group={openedGroup} onReschedule={reschedule} onClose={() => setOpenedGroup(undefined)} />
      )}
    </>
  );
}

const hasFilter = (search: PostSearch): boolean =>
  Object.keys(toSharedFilter(search)).length > 0 || search.accounts !== undefined;

const getTimeRange = (days: readonly string[], timezone: string): { from: string; to: string } => ({
  from: new Date(getStartOfDay(days[0] ?? "", timezone)).toISOString(),
  to: new Date(getEndOfDay(days.at(-1) ?? "", timezone)).toISOString(),
});

function NothingPlanned({ search, range }: { search: PostSearch; range: CalendarRange }) {
  const { studio } = useStudio();
  if (hasFilter(search)) {
    const { author, q, tag, accounts, ...unfilteredSearch } = search;
    const clearLabel = labelClearButton(q, [author, tag, accounts]);
    return (
      <EmptyState
        title="No matching posts"
        icon={SearchX}
        actions={
          <ButtonLink
            variant="secondary"
            to="/studios/$studioId/posts"
            params={{ studioId: studio.id }}
            search={unfilteredSearch}
          >
            {clearLabel}
          </ButtonLink>
        }
      >
        <span className="[overflow-wrap:anywhere]">
          Nothing in this {range === "week" ? "week" : "month"} matches{" "}
          {clearLabel === "Clear search" ? `“${q}”` : "these filters"}.
        </span>
      </EmptyState>
    );
  }
  // In a month or week, the empty days already show that there is nothing.
  if (range !== "agenda") return null;
  return (
    <EmptyState title="Nothing planned" icon={CalendarClock}>
      Open a post and choose Schedule or Ask for approval to see it here.
    </EmptyState>
  );
}
