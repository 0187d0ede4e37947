import { ChoiceField, TextField } from "../ui/Field.tsx";
import { getInputBounds, sinceOptions, type SinceOption } from "./since.ts";

/** Lets the user choose a time; an undo covers the changes since then. */
export function SincePicker({
  option,
  customTime,
  now,
  timezone,
  onChange,
}: {
  option: SinceOption;
  customTime: string;
  now: number;
  timezone: string;
  onChange: (change: { option?: SinceOption; customTime?: string }) => void;
}) {
  return (
    <fieldset>
      <legend className="mb-2 font-semibold">Period</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-2 max-sm:flex-col">
        {sinceOptions.map(([value, label]) => (
          <ChoiceField
            key={value}
            type="radio"
            name="since"
            label={label}
            className="pointer-coarse:py-1.5"
            checked={option === value}
            onChange={() => onChange({ option: value })}
          />
        ))}
      </div>
      {option === "custom" && (
        <div className="mt-4 max-w-72">
          <TextField
            label="Since"
            hint={`In the studio’s time zone (${timezone}), within the last 30 days.`}
            type="datetime-local"
            {...getInputBounds(now, timezone)}
            value={customTime}
            onChange={({ target }) => onChange({ customTime: target.value })}
          />
        </div>
      )}
    </fieldset>
  );
}
