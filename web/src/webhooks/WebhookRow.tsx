import { useState } from "react";
import { deleteWebhook, enableWebhook, rotateWebhook, testWebhook } from "../api/mutations.ts";
import type { Webhook } from "../api/webhook-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Badge } from "../ui/Badge.tsx";
import { Button } from "../ui/Button.tsx";
import { useConfirm } from "../ui/Confirm.tsx";
import { Disclosure } from "../ui/Disclosure.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { ListRow, RowActions } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { useAction } from "../ui/use-action.ts";
import { DeliveryLog } from "./DeliveryLog.tsx";
import { describeResponse } from "./describe-response.ts";
import { eventGroups } from "./event-groups.ts";

const disabledReasons: Record<NonNullable<Webhook["disabled"]>["reason"], string> = {
  failing: "it failed for five days",
  gone: "it responded that it is gone (410)",
};

interface WebhookRowProps {
  webhook: Webhook;
  onEdit: () => void;
  onNewSecret: (secret: string) => void;
}

export function WebhookRow({ webhook, onEdit, onNewSecret }: WebhookRowProps) {
  const { studio } = useStudio();
  const { id: webhookId, url, events, disabled, failingSince } = webhook;
  const param = { studioId: studio.id, webhookId };
  const [testResult, setTestResult] = useState("");
  const [isLogOpen, setIsLogOpen] = useState(false);
  const test = useAction();
  const enable = useAction();
  const { confirmDelete, confirmRotation } = useConfirmations(webhook, onNewSecret);
  const labels = events.map((event) => eventGroups.find(({ prefix }) => prefix === event)?.label ?? event);
  const error = test.error ?? enable.error;

  async function sendTest(): Promise<void> {
    setTestResult("");
    const { status, error: failure } = await testWebhook(param);
    setTestResult(
      failure === null ? `The endpoint responded ${status}.` : describeResponse({ status, error: failure }),
    );
  }

  return (
    <ListRow>
      <div className="min-w-0">
        <p className="m-0 font-medium [overflow-wrap:anywhere]">
          {url}
          {disabled && <Badge tone="danger">disabled</Badge>}
          {!disabled && failingSince !== null && <Badge tone="warning">failing</Badge>}
        </p>
        <p className="mt-0 text-sm text-muted">{labels.join(", ")}</p>
        {disabled && (
          <p className="mt-1 text-sm">
            Disabled <RelativeTime at={disabled.at} timezone={studio.timezone} /> because{" "}
            {disabledReasons[disabled.reason]}. Events are kept for 30 days.
          </p>
        )}
        {!disabled && failingSince !== null && (
          <p className="mt-1 text-sm">
            Failing since <RelativeTime at={failingSince} timezone={studio.timezone} />. It’s disabled after five days.
          </p>
        )}
        <p role="status" className="m-0 text-sm text-accent">
          {testResult}
        </p>
      </div>
      <RowActions areSmallOnPhones>
        {disabled && (
          <Button
            busyLabel={enable.isRunning && "Enabling…"}
            aria-label={`Enable and resend what was missed: ${url}`}
            onClick={() => void enable.run(() => enableWebhook(param))}
          >
            Enable and resend what was missed
          </Button>
        )}
        <Button
          variant="quiet"
          busyLabel={test.isRunning && "Sending…"}
          aria-label={`Send a test event to ${url}`}
          onClick={() => void test.run(sendTest)}
        >
          Test
        </Button>
        <Button variant="quiet" aria-label={`Change ${url}`} onClick={onEdit}>
          Change
        </Button>
        <Button variant="quiet" aria-label={`Replace secret of ${url}`} onClick={confirmRotation}>
          Replace secret
        </Button>
        <Button variant="dangerOutline" aria-label={`Delete ${url}`} onClick={confirmDelete}>
          Delete
        </Button>
      </RowActions>
      {error !== undefined && <ErrorMessage error={error} />}
      <Disclosure summary="Deliveries" className="col-span-full" isOpen={isLogOpen} onToggle={setIsLogOpen}>
        {isLogOpen && <DeliveryLog webhookId={webhookId} />}
      </Disclosure>
    </ListRow>
  );
}

function useConfirmations({ id: webhookId, url }: Webhook, onNewSecret: (secret: string) => void) {
  const { studio } = useStudio();
  const confirm = useConfirm();
  const param = { studioId: studio.id, webhookId };
  return {
    confirmDelete: () =>
      confirm({
        title: "Delete this webhook?",
        body: <p>{url} receives nothing more, and its log is deleted.</p>,
        action: "Delete",
        busyLabel: "Deleting…",
        run: () => deleteWebhook(param),
      }),
    confirmRotation: () =>
      confirm({
        title: "Replace the secret?",
        body: <p>Requests are signed with the old and the new secret for 24 hours, then only with the new one.</p>,
        action: "Replace",
        busyLabel: "Replacing…",
        run: async () => onNewSecret((await rotateWebhook(param)).secret),
      }),
  };
}
