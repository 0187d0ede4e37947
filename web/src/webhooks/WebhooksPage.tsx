import { useQuery } from "@tanstack/react-query";
import { Webhook as WebhookIcon } from "lucide-react";
import { useState } from "react";
import { webhooksQuery, type Webhook } from "../api/webhook-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { LinkDialog } from "../ui/LinkDialog.tsx";
import { List } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { WebhookDialog } from "./WebhookDialog.tsx";
import { WebhookRow } from "./WebhookRow.tsx";

/** The endpoints of other servers that receive the studio's events. */
export function WebhooksPage() {
  const { studio, may } = useStudio();
  const mayManage = may("webhooks.manage");
  const query = useQuery({ ...webhooksQuery(studio.id), enabled: mayManage });
  const [editedWebhook, setEditedWebhook] = useState<Webhook | "new">();
  const [secret, setSecret] = useState<string>();
  const webhooks = query.data?.webhooks ?? [];
  const createButton = <Button onClick={() => setEditedWebhook("new")}>New webhook</Button>;
  if (!mayManage)
    return (
      <>
        <PageHeader title="Webhooks" />
        <p className="text-muted">Your role is {studio.role}. Ask an owner or admin to manage webhooks.</p>
      </>
    );
  return (
    <>
      <PageHeader title="Webhooks" actions={webhooks.length > 0 && createButton}>
        A webhook tells another server what happens in this studio, with signed requests.
      </PageHeader>
      <QueryStatus query={query} />
      {query.isSuccess && webhooks.length === 0 && (
        <EmptyState title="No webhooks yet" icon={WebhookIcon} actions={createButton}>
          Run your own code when a post is published, a file is uploaded or someone comments.
        </EmptyState>
      )}
      <List aria-label="Webhooks">
        {webhooks.map((webhook) => (
          <WebhookRow
            key={webhook.id}
            webhook={webhook}
            onEdit={() => setEditedWebhook(webhook)}
            onNewSecret={setSecret}
          />
        ))}
      </List>
      {editedWebhook !== undefined && (
        <WebhookDialog
          webhook={editedWebhook === "new" ? undefined : editedWebhook}
          onNewSecret={setSecret}
          onClose={() => setEditedWebhook(undefined)}
        />
      )}
      {secret !== undefined && (
        <LinkDialog
          title="Copy the secret"
          label="Secret"
          url={secret}
          copiedThing="secret"
          lossText="It won’t be shown again. You can replace it with a new one."
          onClose={() => setSecret(undefined)}
        >
          Your server verifies requests with it. Copy it now: it won’t be shown again.
        </LinkDialog>
      )}
    </>
  );
}
