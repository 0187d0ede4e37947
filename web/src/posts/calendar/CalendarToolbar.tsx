import { ChevronLeft, ChevronRight } from "lucide-react";
import { useStudio } from "../../layout/use-studio.ts";
import { Button } from "../../ui/Button.tsx";
import { IconButton } from "../../ui/IconButton.tsx";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { calendarRanges, formatRange, type CalendarRange } from "./calendar-days.ts";

const rangeLabels: Record<CalendarRange, string> = { month: "Month", week: "Week", agenda: "Agenda" };

export interface CalendarChange {
  range?: CalendarRange;
  /** A day (`2026-11-15`); undefined is today. */
  date?: string | undefined;
  /** Goes to the next or the previous month or week. */
  step?: 1 | -1;
}

/** Chooses the days that the calendar shows. */
export function CalendarToolbar({
  range,
  date,
  hasRanges,
  onShow,
}: {
  range: CalendarRange;
  date: string;
  /** Whether the screen is wide enough for more than the agenda. */
  hasRanges: boolean;
  onShow: (change: CalendarChange) => void;
}) {
  const { studio } = useStudio();
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <IconButton
        icon={ChevronLeft}
        label={range === "week" ? "Previous week" : "Previous month"}
        onClick={() => onShow({ step: -1 })}
      />
      <IconButton
        icon={ChevronRight}
        label={range === "week" ? "Next week" : "Next month"}
        onClick={() => onShow({ step: 1 })}
      />
      <h2 className="min-w-0 text-lg" aria-live="polite">
        {formatRange(range, date)}
      </h2>
      <Button variant="secondary" size="small" className="min-h-control!" onClick={() => onShow({ date: undefined })}>
        Today
      </Button>
      <span className="text-sm text-muted">{studio.timezone}</span>
      {hasRanges && (
        <span className="ml-auto">
          <SegmentedControl
            label="Range"
            value={range}
            options={calendarRanges.map((value) => ({ value, label: rangeLabels[value] }))}
            onChange={(value) => onShow({ range: value })}
          />
        </span>
      )}
    </div>
  );
}
