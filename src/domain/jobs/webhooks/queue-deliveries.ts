import type { ActivityRow } from "../../model/activity.ts";
import { type Delivery, wantsEvent } from "../../model/webhook.ts";
import type { Deps, Tx } from "../../ports/deps.ts";
import type { EventReader } from "../fan-out.ts";

/** Queues a delivery of each event for each webhook that wants it, also for those that are disabled. */
export function createDeliveryQueue(deps: Pick<Deps, "newId" | "clock" | "wakeWebhookSender">): EventReader {
  return {
    async read(tx: Tx, events: readonly ActivityRow[]) {
      const webhooks = await tx.webhooks.listByStudios([...new Set(events.map(({ studioId }) => studioId))]);
      if (webhooks.length === 0) return;
      const now = deps.clock();
      const deliveries = events.flatMap(({ id: activityId, studioId, action: type }) =>
        webhooks
          .filter((webhook) => webhook.studioId === studioId && wantsEvent(webhook, type))
          .map(({ id: webhookId }): Delivery => ({
            id: deps.newId("webhookDelivery"),
            studioId,
            webhookId,
            activityId,
            type,
            state: "waiting",
            attempts: 0,
            nextAttemptAt: now,
            lastAttemptAt: null,
            lastStatus: null,
            lastError: null,
          })),
      );
      await tx.webhooks.addDeliveries(deliveries, now);
    },
    wake: deps.wakeWebhookSender,
  };
}
