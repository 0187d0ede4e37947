import { seconds } from "#lib/clock.ts";
import { PublicFetchError, type PublicResponse } from "#lib/public-fetch.ts";
import { signWebhook } from "#lib/webhook-signature.ts";
import {
  type DeliveryEvent,
  type DeliveryOutcome,
  toEventBody,
  type Webhook,
  type WebhookSecret,
} from "../model/webhook.ts";
import type { Deps } from "../ports/deps.ts";

/** For the whole attempt, also if the response never ends. */
const timeoutMs = seconds(15);
/** Read so that the endpoint can end its response. It is not stored: it might show what is on a private network. */
const maxResponseBytes = 1024;

type SecretOwner = Pick<Webhook, "id" | "studioId">;

export const sealSecrets = (
  { vault }: Pick<Deps, "vault">,
  { id, studioId }: SecretOwner,
  secrets: readonly WebhookSecret[],
): string => vault.seal("webhook-secrets", [id, studioId], JSON.stringify(secrets));

/** Newest first. Throws if `SECRETS` no longer has the key. */
export function unsealValidSecrets(
  { vault, clock }: Pick<Deps, "vault" | "clock">,
  { id, studioId, secrets }: SecretOwner & Pick<Webhook, "secrets">,
): WebhookSecret[] {
  const allSecrets = JSON.parse(vault.open("webhook-secrets", [id, studioId], secrets)) as WebhookSecret[];
  return allSecrets.filter(({ validUntil }) => validUntil === null || clock() < validUntil);
}

type SendDeps = Pick<Deps, "openWebhookUrl" | "vault" | "clock">;

/** Sends an event to an endpoint, once: the only function that does so. */
export async function sendWebhook(
  deps: SendDeps,
  webhook: Webhook,
  event: DeliveryEvent,
  signal: AbortSignal = new AbortController().signal,
): Promise<DeliveryOutcome> {
  const failure = { status: null, retryAfterMs: undefined };
  let headers: Record<string, string>;
  const body = toEventBody(event);
  try {
    const secrets = unsealValidSecrets(deps, webhook).map(({ secret }) => secret);
    headers = signWebhook({ id: event.id, timestamp: deps.clock(), body }, secrets);
  } catch {
    return { ...failure, error: "secret_lost" };
  }
  const request = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
  const attemptSignal = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const response = await deps.openWebhookUrl(webhook.url, attemptSignal, request);
    const { status } = response;
    const retryAfterMs = parseRetryAfter(response.headers["retry-after"], deps.clock());
    await readResponse(response);
    return status >= 200 && status < 300
      ? { error: null, status, retryAfterMs: undefined }
      : { error: "status", status, retryAfterMs };
  } catch (error) {
    if (!(error instanceof PublicFetchError)) throw error;
    return { ...failure, error: error.isBlocked ? "blocked" : "unreachable" };
  }
}

async function readResponse({ body }: PublicResponse): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes >= maxResponseBytes) return;
    }
  } catch {
    // The status has arrived, and only it matters.
  } finally {
    body.destroy();
  }
}

const maxRetryAfterMs = seconds(24 * 60 * 60);

/** RFC 9110 §10.2.3: seconds, or a date. */
function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return waitMs > 0 ? Math.min(waitMs, maxRetryAfterMs) : undefined;
}
