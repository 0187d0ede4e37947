import type { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import {
  type frequenciesInput,
  getFrequencies,
  type Mail,
  type MailFrequencies,
  type MailServer,
} from "../model/mail.ts";
import { notificationTypes } from "../model/notification.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import { newMail } from "../steps/new-mail.ts";
import { enforceRateLimit } from "../steps/rate-limit.ts";
import { type MailSubscription, readUnsubscribeToken } from "../steps/unsubscribe-links.ts";

export interface MailSettings {
  /** Whether the operator has configured a mail server. */
  isConfigured: boolean;
  /** Since when the mail server accepts no mails, and why; null if it works. */
  failure: { since: string; reason: MailServer["lastError"] } | null;
  /** Where the caller's mails go; null without a verified email. */
  mailbox: string | null;
  frequencies: MailFrequencies;
  /** The caller's newest test message. */
  test: (Pick<Mail, "state"> & { reason: Mail["lastError"] }) | null;
}

/** Whether mails are sent, and which of them the caller gets about this studio. */
export async function getMailSettings(
  { mails, mailer }: Pick<Deps, "mails" | "mailer">,
  caller: Caller,
): Promise<MailSettings> {
  authorize(caller, "studio.read");
  const [studioId, userId] = [caller.studio.id, caller.user.id];
  const [choices, recipient, server, test] = await Promise.all([
    mails.listChoices(studioId, [userId]),
    mails.findRecipient(studioId, userId),
    mails.findServer(),
    mails.findTest(studioId, userId),
  ]);
  const since = mailer && server?.failingSince;
  return {
    isConfigured: mailer !== undefined,
    failure: since == null ? null : { since: toIsoTime(since), reason: server?.lastError ?? null },
    mailbox: recipient?.email ?? null,
    frequencies: getFrequencies(choices),
    test: test ? { state: test.state, reason: test.lastError } : null,
  };
}

/** Changes how often the caller is mailed about these types of notifications of this studio. */
export async function setMailFrequencies(
  deps: Pick<Deps, "transact">,
  caller: Caller,
  { frequencies }: z.infer<typeof frequenciesInput>,
): Promise<void> {
  authorize(caller, "studio.read");
  const ids = { userId: caller.user.id, studioId: caller.studio.id };
  const choices = notificationTypes.flatMap((type) => {
    const frequency = frequencies[type];
    return frequency ? [{ ...ids, type, frequency }] : [];
  });
  await deps.transact(caller, (tx) => tx.mails.saveChoices(choices));
}

/** Queues a test message to the caller. Its result is part of the settings. */
export async function sendTestMail(
  deps: Pick<Deps, "transact" | "mails" | "mailer" | "newId" | "clock" | "rateLimits" | "wakeMailSender">,
  caller: Caller,
): Promise<void> {
  authorize(caller, "studio.read");
  if (!deps.mailer) throw new AppError("invalid_input:mail_off");
  const [studioId, userId] = [caller.studio.id, caller.user.id];
  if (!(await deps.mails.findRecipient(studioId, userId))) throw new AppError("invalid_input:no_mailbox");
  await enforceRateLimit(deps, "testMail", userId);
  const mail = newMail(deps, { kind: "test", studioId, userId }, deps.clock());
  await deps.transact(caller, (tx) => tx.mails.insert([mail]));
  deps.wakeMailSender();
}

/** What an unsubscribe link ends, and in which studio; undefined if the link is not valid. */
export async function describeSubscription(
  deps: Pick<Deps, "signer" | "memberships">,
  token: string,
): Promise<(MailSubscription & { studioName: string | undefined }) | undefined> {
  const subscription = readUnsubscribeToken(deps, token);
  if (!subscription) return undefined;
  const membership = await deps.memberships.findWithStudio(subscription.studioId, subscription.userId);
  return { ...subscription, studioName: membership?.studio.name };
}

/** Ends the mails that the link is about: RFC 8058. The token is the only credential. Returns false if it is not valid. */
export async function unsubscribe(deps: Pick<Deps, "signer" | "transact">, token: string): Promise<boolean> {
  const subscription = readUnsubscribeToken(deps, token);
  if (!subscription) return false;
  const { type: endedType, ...ids } = subscription;
  await deps.transact({ job: "unsubscribe" }, async (tx) => {
    if (!(await tx.memberships.isMemberForShare(ids.studioId, ids.userId))) return; // gets no mails any more
    const frequencies = getFrequencies(await tx.mails.listChoices(ids.studioId, [ids.userId]));
    const types = notificationTypes.filter((type) => type === endedType || frequencies[type] === endedType);
    await tx.mails.saveChoices(types.map((type) => ({ ...ids, type, frequency: "never" })));
  });
  return true;
}
