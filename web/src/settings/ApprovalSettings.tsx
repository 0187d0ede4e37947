import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { updateStudio } from "../api/mutations.ts";
import { refreshQueries, type Studio } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { ChoiceField } from "../ui/Field.tsx";
import { Section } from "../ui/Section.tsx";
import { useAction } from "../ui/use-action.ts";

const rules: readonly { value: Studio["approval"]; label: string; description: string }[] = [
  {
    value: "clients",
    label: "AI clients ask for approval",
    description:
      "All members publish and approve in the web app. AI clients propose, unless their user allowed them to publish without asking.",
  },
  {
    value: "everyone",
    label: "Everyone but owners and admins asks for approval",
    description:
      "Only owners and admins publish and approve. What members and their AI clients publish waits for approval, also if it was allowed to publish without asking.",
  },
];

/** Whose publications wait for a person's approval. */
export function ApprovalSettings() {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const { isRunning, error, run } = useAction();
  const [approval, setApproval] = useState(studio.approval);
  const [statusMessage, setStatusMessage] = useState("");

  async function save(): Promise<void> {
    await updateStudio(studio.id, { approval });
    await refreshQueries(queryClient, studio.id);
    setStatusMessage("Saved");
  }

  return (
    <Section title="Approval">
      <form
        className="max-w-[38rem]"
        onChange={() => setStatusMessage("")}
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <fieldset>
          <legend className="mb-3 font-semibold">Who asks before a post goes out</legend>
          <div className="grid gap-4">
            {rules.map(({ value, label, description }) => (
              <ChoiceField
                key={value}
                type="radio"
                name="approval"
                label={label}
                description={description}
                checked={approval === value}
                onChange={() => setApproval(value)}
              />
            ))}
          </div>
        </fieldset>
        {error !== undefined && <ErrorMessage error={error} />}
        <p className="flex items-center gap-4">
          <Button type="submit" disabled={approval === studio.approval} busyLabel={isRunning && "Saving…"}>
            Save rule
          </Button>
          <span role="status" className="text-accent">
            {statusMessage}
          </span>
        </p>
      </form>
    </Section>
  );
}
