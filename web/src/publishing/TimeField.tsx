import { TextField } from "../ui/Field.tsx";
import { formatExactTime } from "../ui/format-time.ts";
import { useNow } from "../ui/use-now.ts";
import { useStudio } from "../layout/use-studio.ts";
import { resolveLocalTime, toLocalTime } from "#portable/zoned-time.ts";

const dayMs = 86_400_000;

/** The initial value of a `TimeField`: the second full hour from now (at 14:20, 16:00). */
export const suggestLocalTime = (now: number, timezone: string): string =>
  `${toLocalTime(now + 2 * 3_600_000, timezone).slice(0, 13)}:00`;

/** A date and time in the studio's time zone, and below it the resolved time with its UTC offset, if the time exists. */
export function TimeField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { timezone } = useStudio().studio;
  const min = useNow((now) => toLocalTime(now, timezone));
  const max = useNow((now) => toLocalTime(now + 365 * dayMs, timezone));
  return (
    <>
      <TextField
        label="Date and time"
        hint={`In the studio’s time zone, ${timezone}.`}
        type="datetime-local"
        min={min}
        max={max}
        value={value}
        onChange={({ target }) => {
          onChange(target.value);
          const isSkipped = resolveLocalTime(target.value, timezone).kind === "nonexistent";
          target.setCustomValidity(isSkipped ? "Clocks skip this time. Choose another one." : "");
        }}
        required
      />
      <p className="mt-1 text-sm" role="status">
        <ResolvedTime localTime={value} timezone={timezone} />
      </p>
    </>
  );
}

function ResolvedTime({ localTime, timezone }: { localTime: string; timezone: string }) {
  const time = resolveLocalTime(localTime, timezone);
  if (time.kind === "incomplete") return null;
  if (time.kind === "nonexistent")
    return (
      <span className="text-danger">
        This time doesn’t exist in {timezone}: clocks skip it when daylight saving time starts. Choose an earlier or
        later time.
      </span>
    );
  return (
    <>
      {formatExactTime(time.iso, timezone)}
      {time.isAmbiguous && ". Clocks show this time twice that night; we use the first."}
    </>
  );
}
