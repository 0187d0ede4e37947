import { useQuery } from "@tanstack/react-query";
import { slotsQuery } from "../api/planning-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { ChoiceField } from "../ui/Field.tsx";
import { TimeField } from "./TimeField.tsx";

export type When = "now" | "slot" | "time";

/** When to publish. Slots are offered if one of the accounts has any. */
export function WhenChoice({
  when,
  localTime,
  nowLabel,
  connectionIds,
  onChange,
  onChangeTime,
}: {
  when: When;
  localTime: string;
  nowLabel: string;
  connectionIds: readonly string[];
  onChange: (when: When) => void;
  onChangeTime: (localTime: string) => void;
}) {
  const { studio } = useStudio();
  const { data } = useQuery(slotsQuery(studio.id));
  const hasSlots = data?.slots.some(({ connectionId }) => connectionIds.includes(connectionId));
  const choices: readonly { value: When; label: string; description?: string }[] = [
    { value: "now", label: nowLabel },
    ...(hasSlots || when === "slot"
      ? [
          {
            value: "slot" as const,
            label: "Next free slot",
            description: "Each account gets its own, by the weekly slots in the settings.",
          },
        ]
      : []),
    { value: "time", label: "Pick a time" },
  ];
  return (
    <fieldset className="mt-6">
      <legend className="mb-2 font-semibold">When</legend>
      <div className="grid gap-2 pointer-coarse:gap-0">
        {choices.map(({ value, ...choice }) => (
          <ChoiceField
            key={value}
            type="radio"
            name="when"
            {...choice}
            checked={when === value}
            onChange={() => onChange(value)}
          />
        ))}
      </div>
      {when === "time" && (
        <div className="mt-3 max-w-72">
          <TimeField value={localTime} onChange={onChangeTime} />
        </div>
      )}
    </fieldset>
  );
}
