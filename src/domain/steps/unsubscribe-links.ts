import { z } from "zod";
import { days } from "#lib/clock.ts";
import { notificationTypes } from "../model/notification.ts";
import type { Deps } from "../ports/deps.ts";

/** What a link ends: mails about one type of notifications, or the daily summary. */
const subscription = z.object({
  userId: z.string(),
  studioId: z.string(),
  type: z.enum([...notificationTypes, "daily"]),
});
export type MailSubscription = z.infer<typeof subscription>;

/** Mails are kept for long. */
const linkLifetime = days(365);

export const createUnsubscribeUrl = (
  { signer, clock, baseUrl }: Pick<Deps, "signer" | "clock" | "baseUrl">,
  claims: MailSubscription,
): string => `${baseUrl}/unsubscribe/${signer.sign("unsubscribe", claims, clock() + linkLifetime)}`;

export const readUnsubscribeToken = ({ signer }: Pick<Deps, "signer">, token: string): MailSubscription | undefined =>
  subscription.safeParse(signer.verify("unsubscribe", token)).data;
