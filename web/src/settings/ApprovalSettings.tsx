import { useState } from "react";
import { updateStudio } from "../api/mutations.ts";
import type { Studio } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { ChoiceField } from "../ui/Field.tsx";
import { Section } from "../ui/Section.tsx";
import { useAction } from "../ui/use-action.ts";

const approvalRules: readonly { value: Studio["approval"]; label: string; description: string }[] = [
  {
    value: "clients",
    label: "AI clients only",
    description:
      "Members can publish and approve in the web app. AI clients need approval, unless the person they act for lets them publish without asking.",
  },
  {
    value: "everyone",
    label: "Everyone except owners and admins",
    description:
      "Only owners and admins can publish and approve. Posts from members and their AI clients wait for approval, even if a client was allowed to publish without asking. For AI clients of owners and admins, that permission still counts.",
  },
];

/** Whose publications wait for a person's approval. */
export function ApprovalSettings() {
  const { studio } = useStudio();
  const { isRunning, error, run } = useAction();
  const [approval, setApproval] = useState(studio.approval);
  const [statusMessage, setStatusMessage] = useState("");

  async function save(): Promise<void> {
    await updateStudio({ studioId: studio.id }, { approval });
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
          <legend className="mb-3 font-semibold">Who needs approval to publish?</legend>
          <div className="grid gap-4">
            {approvalRules.map(({ value, label, description }) => (
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
        <p className="mt-5 flex items-center gap-4">
          <Button
            type="submit"
            disabled={approval === studio.approval}
            busyLabel={isRunning && "Saving…"}
            aria-label="Save approval"
          >
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
