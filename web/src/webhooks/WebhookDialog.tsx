import { useState } from "react";
import { createWebhook, updateWebhook } from "../api/mutations.ts";
import type { Webhook } from "../api/webhook-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { CopyField } from "../ui/CopyField.tsx";
import { Disclosure } from "../ui/Disclosure.tsx";
import { ChoiceField, TextField } from "../ui/Field.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { eventGroups, exampleEvent } from "./event-groups.ts";

/** Creates or changes a webhook. */
export function WebhookDialog({
  webhook,
  onNewSecret,
  onClose,
}: {
  /** Undefined for a new one. */
  webhook: Webhook | undefined;
  onNewSecret: (secret: string) => void;
  onClose: () => void;
}) {
  const { studio } = useStudio();
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? ["publication.*"]);
  const otherEvents = events.filter((event) => eventGroups.every(({ prefix }) => prefix !== event));

  async function save(): Promise<void> {
    const input = { url: url.trim(), events: [...events] };
    if (webhook) await updateWebhook({ studioId: studio.id, webhookId: webhook.id }, input);
    else onNewSecret((await createWebhook({ studioId: studio.id }, input)).secret);
    onClose();
  }

  return (
    <FormDialog
      title={webhook ? "Change the webhook" : "New webhook"}
      submitLabel={webhook ? "Save" : "Create webhook"}
      busyLabel={webhook ? "Saving…" : "Creating…"}
      canSubmit={url.trim() !== "" && events.length > 0}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label="URL"
        hint="Requests are sent here. It must be an https URL that the internet can reach."
        type="url"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        maxLength={2000}
        placeholder="https://example.com/hooks"
        autoComplete="off"
        required
      />
      <fieldset className="mt-5">
        <legend className="font-semibold">Events</legend>
        {eventGroups.map(({ prefix, label, description }) => (
          <ChoiceField
            key={prefix}
            type="checkbox"
            label={label}
            description={description}
            className="mt-2"
            checked={events.includes(prefix)}
            onChange={({ currentTarget: { checked } }) =>
              setEvents(checked ? [...events, prefix] : events.filter((event) => event !== prefix))
            }
          />
        ))}
        {otherEvents.length > 0 && (
          <p className="mt-2 text-sm text-muted">Also set with the API: {otherEvents.join(", ")}</p>
        )}
      </fieldset>
      <Disclosure summary="Example of a request’s body" className="mt-4">
        <CopyField label="Example" isLabelHidden text={exampleEvent} />
      </Disclosure>
    </FormDialog>
  );
}
