import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { updateStudio } from "../api/mutations.ts";
import { refreshQueries } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { requiredTextProps } from "../ui/required-text.ts";

export function StudioDetails() {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const [name, setName] = useState(studio.name);
  const [timezone, setTimezone] = useState(studio.timezone);
  const [busy, setBusy] = useState(false);
  const [statusMessage, setStatusMessage] = useState("");
  const [error, setError] = useState<unknown>();
  const isChanged = name.trim() !== studio.name || timezone !== studio.timezone;
  // This browser may not list the studio's time zone.
  const zones = [...new Set([studio.timezone, "UTC", ...Intl.supportedValuesOf("timeZone")])].toSorted();

  async function save(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await updateStudio(studio.id, { name, timezone });
      await refreshQueries(queryClient, studio.id);
      setStatusMessage("Saved");
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <section className="entry" aria-labelledby="details">
      <h2 id="details">Studio details</h2>
      <form
        className="max-w-[30rem]"
        onChange={() => setStatusMessage("")}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label htmlFor="name">Name</label>
        <input
          id="name"
          className="mt-2"
          value={name}
          onChange={(event) => setName(event.target.value)}
          maxLength={100}
          {...requiredTextProps}
        />
        <label htmlFor="timezone" className="mt-5">
          Time zone
        </label>
        <select
          id="timezone"
          className="mt-2 w-full"
          value={timezone}
          onChange={(event) => setTimezone(event.target.value)}
        >
          {zones.map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </select>
        <p className="mt-1 text-sm text-muted">All times in the web app use this time zone.</p>
        {error !== undefined && <ErrorMessage error={error} />}
        <p className="flex items-center gap-4">
          <Button type="submit" disabled={!isChanged} busyLabel={busy && "Saving…"}>
            Save
          </Button>
          <span role="status" className="text-accent">
            {statusMessage}
          </span>
        </p>
      </form>
    </section>
  );
}
