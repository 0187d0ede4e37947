import { createHmac } from "node:crypto";

/** Standard Webhooks 1.0.0: a secret is `whsec_` and 24 to 64 random bytes in base64. */
export const toWebhookSecret = (randomBytes: Uint8Array): string =>
  `whsec_${Buffer.from(randomBytes).toString("base64")}`;

/** The headers of a request, signed with each of the secrets. `timestamp`: of this attempt. */
export function signWebhook(
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
  secrets: readonly string[],
): Record<string, string> {
  const sentAt = String(Math.floor(timestamp / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secret.indexOf("_") + 1), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${sentAt}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": sentAt, "webhook-signature": signatures.join(" ") };
}
