import { useState } from "react";
import { updateStudio } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { SelectField, TextField } from "../ui/Field.tsx";
import { requiredTextProps } from "../ui/required-text.ts";
import { Section } from "../ui/Section.tsx";
import { useAction } from "../ui/use-action.ts";

export function StudioDetails() {
  const { studio } = useStudio();
  const [name, setName] = useState(studio.name);
  const [timezone, setTimezone] = useState(studio.timezone);
  const [statusMessage, setStatusMessage] = useState("");
  const { isRunning, error, run } = useAction();
  const hasChanges = name.trim() !== studio.name || timezone !== studio.timezone;
  // The browser's list may lack the studio's time zone.
  const zones = [...new Set([studio.timezone, "UTC", ...Intl.supportedValuesOf("timeZone")])].toSorted();

  async function save(): Promise<void> {
    await updateStudio({ studioId: studio.id }, { name, timezone });
    setStatusMessage("Saved");
  }

  return (
    <Section title="Studio details">
      <form
        className="max-w-[30rem]"
        onChange={() => setStatusMessage("")}
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <TextField
          label="Name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          maxLength={100}
          {...requiredTextProps}
        />
        <SelectField
          label="Time zone"
          hint="All times in the web app use this time zone."
          value={timezone}
          onChange={(event) => setTimezone(event.target.value)}
          options={zones.map((zone) => [zone, zone])}
        />
        {error !== undefined && <ErrorMessage error={error} />}
        <p className="mt-5 flex items-center gap-4">
          <Button type="submit" disabled={!hasChanges} busyLabel={isRunning && "Saving…"}>
            Save
          </Button>
          <span role="status" className="text-accent">
            {statusMessage}
          </span>
        </p>
      </form>
    </Section>
  );
}
