import type { Mail } from "../model/mail.ts";
import type { Deps } from "../ports/deps.ts";

const emptyMail = {
  userId: null,
  notificationId: null,
  summaryAt: null,
  sealedToken: null,
  state: "waiting",
  attempts: 0,
  lastAttemptAt: null,
  lastError: null,
} as const;

/** A mail to be sent at a time. */
export const newMail = (
  { newId }: Pick<Deps, "newId">,
  mail: Pick<Mail, "kind" | "studioId"> & Partial<Mail>,
  nextAttemptAt: number,
): Mail => ({ ...emptyMail, id: newId("mail"), nextAttemptAt, ...mail });

/** The queue is the only place that has the token of an invitation, until its mail is sent. */
export function newInvitationMail(
  deps: Pick<Deps, "newId" | "vault">,
  { studioId, createdAt }: { studioId: string; createdAt: number },
  token: string,
): Mail {
  const mail = newMail(deps, { kind: "invitation", studioId }, createdAt);
  return { ...mail, sealedToken: deps.vault.seal("invitation-mail", [mail.id, studioId], token) };
}

/** Undefined if `SECRETS` no longer has the key. */
export function unsealInvitationToken(
  { vault }: Pick<Deps, "vault">,
  { id, studioId, sealedToken }: Mail,
): string | undefined {
  try {
    return vault.open("invitation-mail", [id, studioId], sealedToken ?? "");
  } catch {
    return undefined;
  }
}
