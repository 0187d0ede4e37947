import { seconds, toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { PublicFetchError } from "#lib/public-fetch.ts";
import { toWebhookSecret } from "#lib/webhook-signature.ts";
import type { z } from "zod";
import type { Caller } from "../caller.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { ActivityAction } from "../model/activity.ts";
import { maxWebhooks, parseWebhookId, rotationTime, type Webhook, webhookInput } from "../model/webhook.ts";
import { authorize } from "../policy.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { runInBatches } from "../steps/run-in-batches.ts";
import { sealSecrets, unsealValidSecrets } from "../steps/send-webhook.ts";
import { requeueFailed } from "./deliveries.ts";

export const createWebhookInput = webhookInput;

type ChangeDeps = Pick<Deps, "webhooks" | "transact" | "newId" | "clock">;
type CreateDeps = ChangeDeps & Pick<Deps, "checkWebhookUrl" | "vault" | "newSecret">;

/** Creates a webhook. Its secret is returned only here and after a rotation. */
export async function createWebhook(
  deps: CreateDeps,
  caller: Caller,
  input: z.infer<typeof createWebhookInput>,
): Promise<{ id: string; secret: string }> {
  authorize(caller, "webhooks.manage");
  const owner = { id: deps.newId("webhook"), studioId: caller.studio.id };
  const secret = newWebhookSecret(deps);
  const webhook: Webhook = {
    ...owner,
    url: await checkUrl(deps, input.url),
    events: input.events,
    secrets: sealSecrets(deps, owner, [{ secret, validUntil: null }]),
    createdAt: deps.clock(),
    lockedUntil: 0,
    failingSince: null,
    disabledAt: null,
    disabledReason: null,
  };
  await deps.transact(caller, async (tx) => {
    if (!(await tx.webhooks.insert(webhook, maxWebhooks)))
      throw new AppError("quota_exceeded:webhooks", { limit: maxWebhooks });
    await recordWebhookActivity(deps, tx, caller, "webhook.created", webhook);
  });
  return { id: webhook.id, secret };
}

const newWebhookSecret = ({ newSecret }: Pick<Deps, "newSecret">): string =>
  toWebhookSecret(Buffer.from(newSecret(), "base64url"));

const checkTimeoutMs = seconds(5);

/** Returns the URL. Throws if it is not one, or leads to a private host. An endpoint may be down, or not exist yet. */
async function checkUrl({ checkWebhookUrl }: Pick<Deps, "checkWebhookUrl">, text: string): Promise<string> {
  const url = URL.parse(text);
  if (!url || !["http:", "https:"].includes(url.protocol)) throw new AppError("invalid_input:webhook_url");
  try {
    await checkWebhookUrl(url.href, AbortSignal.timeout(checkTimeoutMs));
  } catch (error) {
    if (!(error instanceof PublicFetchError)) throw error;
    if (error.isBlocked) throw new AppError("url_blocked:webhook", { host: url.host, cause: error.message });
  }
  return url.href;
}

/** With the host only: the rest of a URL may be a secret. */
async function recordWebhookActivity(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  caller: Caller,
  action: Extract<ActivityAction, `webhook.${string}`>,
  { id, url }: Pick<Webhook, "id" | "url">,
): Promise<void> {
  await recordActivity(deps, tx, caller, action, id, { host: new URL(url).host });
}

export interface WebhookView {
  id: string;
  url: string;
  events: readonly string[];
  createdAt: string;
  failingSince: string | null;
  disabled: { at: string; reason: NonNullable<Webhook["disabledReason"]> } | null;
}

const toIsoTimeOrNull = (time: number | null): string | null => (time === null ? null : toIsoTime(time));

const toView = ({ id, url, events, createdAt, failingSince, disabledAt, disabledReason }: Webhook): WebhookView => ({
  id,
  url,
  events,
  createdAt: toIsoTime(createdAt),
  failingSince: toIsoTimeOrNull(failingSince),
  disabled:
    disabledAt === null || disabledReason === null ? null : { at: toIsoTime(disabledAt), reason: disabledReason },
});

export async function listWebhooks(deps: Pick<Deps, "webhooks">, caller: Caller): Promise<{ webhooks: WebhookView[] }> {
  authorize(caller, "webhooks.manage");
  return { webhooks: (await deps.webhooks.list(caller.studio.id)).map(toView) };
}

/** Changes a webhook in a transaction that has locked it. */
async function changeWebhook<T>(
  deps: ChangeDeps,
  caller: Caller,
  input: { webhookId: string },
  action: Extract<ActivityAction, `webhook.${string}`>,
  change: (tx: Tx, webhook: Webhook) => Promise<T>,
): Promise<T> {
  const webhookId = parseWebhookId(input.webhookId);
  return deps.transact(caller, async (tx) => {
    const webhook = await tx.webhooks.lock(caller.studio.id, webhookId);
    if (!webhook) throw notFoundError("webhook");
    const result = await change(tx, webhook);
    await recordWebhookActivity(deps, tx, caller, action, webhook);
    return result;
  });
}

export const updateWebhookInput = webhookInput.partial();

export async function updateWebhook(
  deps: ChangeDeps & Pick<Deps, "checkWebhookUrl">,
  caller: Caller,
  { webhookId, url, events }: z.infer<typeof updateWebhookInput> & { webhookId: string },
): Promise<WebhookView> {
  authorize(caller, "webhooks.manage");
  if (url === undefined && events === undefined)
    throw new AppError("invalid_input:no_changes", { fields: "url, events" });
  parseWebhookId(webhookId);
  const change = {
    ...(url === undefined ? {} : { url: await checkUrl(deps, url), failingSince: null }),
    ...(events === undefined ? {} : { events }),
  };
  return changeWebhook(deps, caller, { webhookId }, "webhook.updated", async (tx, webhook) => {
    await tx.webhooks.update(webhookId, change);
    return toView({ ...webhook, ...change });
  });
}

const batchSize = 200;

/** Deletes a webhook with its deliveries, in transactions of bounded size. */
export async function deleteWebhook(
  deps: ChangeDeps & Pick<Deps, "sleep">,
  caller: Caller,
  input: { webhookId: string },
): Promise<void> {
  authorize(caller, "webhooks.manage");
  const webhookId = parseWebhookId(input.webhookId);
  if (!(await deps.webhooks.find(caller.studio.id, webhookId))) throw notFoundError("webhook");
  await runInBatches({ pause: () => deps.sleep(1), shouldStop: () => false }, batchSize, () =>
    deps.transact(caller, (tx) => tx.webhooks.deleteDeliveries(webhookId, batchSize)),
  );
  await changeWebhook(deps, caller, input, "webhook.deleted", (tx) => tx.webhooks.delete(webhookId));
}

/** Enough for repeated rotations; each adds a signature to every request. */
const maxSecrets = 10;

/** Replaces the secret. The previous ones stay valid for a day. */
export async function rotateWebhookSecret(
  deps: ChangeDeps & Pick<Deps, "vault" | "newSecret">,
  caller: Caller,
  input: { webhookId: string },
): Promise<{ secret: string; previousValidUntil: string }> {
  authorize(caller, "webhooks.manage");
  const secret = newWebhookSecret(deps);
  const previousValidUntil = deps.clock() + rotationTime;
  await changeWebhook(deps, caller, input, "webhook.rotated", async (tx, webhook) => {
    const previousSecrets = unsealValidSecrets(deps, webhook).map((previous) => ({
      ...previous,
      validUntil: previous.validUntil ?? previousValidUntil,
    }));
    const secrets = [{ secret, validUntil: null }, ...previousSecrets].slice(0, maxSecrets);
    await tx.webhooks.update(webhook.id, { secrets: sealSecrets(deps, webhook, secrets) });
  });
  return { secret, previousValidUntil: toIsoTime(previousValidUntil) };
}

/** Enables a disabled webhook. Sends the events that came while it was disabled, and those that failed before. */
export async function enableWebhook(
  deps: ChangeDeps & Pick<Deps, "sleep" | "wakeWebhookSender">,
  caller: Caller,
  input: { webhookId: string },
): Promise<{ resent: number }> {
  authorize(caller, "webhooks.manage");
  const now = deps.clock();
  const webhook = await changeWebhook(deps, caller, input, "webhook.enabled", async (tx, current) => {
    const enabled = { disabledAt: null, disabledReason: null, failingSince: null };
    await tx.webhooks.update(current.id, enabled);
    await tx.webhooks.release(current.id, 0);
    return current;
  });
  const failedSince = webhook.failingSince ?? webhook.disabledAt ?? now;
  const resent = await requeueFailed(deps, caller, webhook.id, failedSince - rotationTime);
  deps.wakeWebhookSender();
  return { resent };
}
