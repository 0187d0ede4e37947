import { Hono } from "hono";
import {
  listDeliveries,
  listDeliveriesInput,
  resendDelivery,
  resendFailed,
  resendFailedInput,
  testWebhook,
} from "#domain/webhooks/deliveries.ts";
import {
  createWebhook,
  createWebhookInput,
  deleteWebhook,
  enableWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
  updateWebhookInput,
} from "#domain/webhooks/webhooks.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { noContent } from "./responses.ts";
import { validateJson, validateQuery } from "./validate-input.ts";

/** The endpoints of other servers that receive a studio's events. */
export function createWebhookRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/webhooks", async (c) => c.json(await listWebhooks(deps, c.var.caller)))
    .post("/webhooks", validateJson(createWebhookInput), async (c) =>
      c.json(await createWebhook(deps, c.var.caller, c.req.valid("json")), 201),
    )
    .patch("/webhooks/:webhookId", validateJson(updateWebhookInput), async (c) =>
      c.json(await updateWebhook(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    )
    .delete("/webhooks/:webhookId", async (c) => noContent(c, deleteWebhook(deps, c.var.caller, c.req.param())))
    .post("/webhooks/:webhookId/rotate", async (c) =>
      c.json(await rotateWebhookSecret(deps, c.var.caller, c.req.param())),
    )
    .post("/webhooks/:webhookId/enable", async (c) => c.json(await enableWebhook(deps, c.var.caller, c.req.param())))
    .post("/webhooks/:webhookId/test", async (c) => c.json(await testWebhook(deps, c.var.caller, c.req.param())))
    .post("/webhooks/:webhookId/resend", validateJson(resendFailedInput), async (c) =>
      c.json(await resendFailed(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    )
    .get("/webhooks/:webhookId/deliveries", validateQuery(listDeliveriesInput), async (c) =>
      c.json(await listDeliveries(deps, c.var.caller, { ...c.req.valid("query"), ...c.req.param() })),
    )
    .post("/webhooks/:webhookId/deliveries/:deliveryId/resend", async (c) =>
      noContent(c, resendDelivery(deps, c.var.caller, c.req.param())),
    );
}
