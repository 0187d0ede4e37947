import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { inBatch } from "../api/change.ts";
import { createPost, createStudio } from "../api/mutations.ts";
import { instanceQuery } from "../api/queries.ts";
import { CenteredActions } from "../layout/CenteredLayout.tsx";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { ChoiceField } from "../ui/Field.tsx";
import { requiredTextProps } from "../ui/required-text.ts";
import { useAction } from "../ui/use-action.ts";

/** Creates a studio and opens it. A development server offers to add sample posts to a user's first studio. */
export function StudioForm({ isFirstStudio = false, onCancel }: { isFirstStudio?: boolean; onCancel?: () => void }) {
  const navigate = useNavigate();
  const { data: instance } = useQuery({ ...instanceQuery, enabled: isFirstStudio });
  const [name, setName] = useState("");
  const [shouldAddSamples, setShouldAddSamples] = useState(true);
  const [busyLabel, setBusyLabel] = useState("");
  const { isRunning, error, run } = useAction();
  const canAddSamples = isFirstStudio && instance?.development === true;

  async function create(): Promise<void> {
    setBusyLabel("Creating…");
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    // Once the list of studios has it, the page changes.
    const studio = await inBatch(async () => {
      const createdStudio = await createStudio({ name: name.trim(), timezone: timeZone });
      if (canAddSamples && shouldAddSamples) {
        setBusyLabel("Adding sample posts…");
        // The studio exists already, and the samples are optional.
        await addSamples(createdStudio.id).catch(() => {});
      }
      return createdStudio;
    });
    await navigate({ to: "/studios/$studioId/posts", params: { studioId: studio.id } });
  }

  return (
    <form
      className="mt-8"
      onSubmit={(event) => {
        event.preventDefault();
        void run(create);
      }}
    >
      <label htmlFor="studio-name">Studio name</label>
      <input
        id="studio-name"
        className="mt-2"
        value={name}
        onChange={(event) => setName(event.target.value)}
        {...requiredTextProps}
        maxLength={100}
        autoComplete="organization"
        // The name is the first input on this page.
        autoFocus
      />
      {canAddSamples && (
        <ChoiceField
          type="checkbox"
          label="Add three sample posts"
          description="Offered on development servers only. You can archive or delete the posts at any time."
          className="mt-4"
          checked={shouldAddSamples}
          onChange={(event) => setShouldAddSamples(event.target.checked)}
        />
      )}
      <CenteredActions>
        <Button type="submit" busyLabel={isRunning && busyLabel}>
          Create studio
        </Button>
        {onCancel && (
          <Button variant="secondary" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </CenteredActions>
      {error !== undefined && <ErrorMessage error={error} />}
    </form>
  );
}

async function addSamples(studioId: string): Promise<void> {
  const { samples } = await import("./samples.ts");
  for (const [i, sample] of samples.entries())
    await createPost({ studioId }, { ...sample, idempotencyKey: `sample-${i}` });
}
