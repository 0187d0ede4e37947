import type { Mail, MailChoice, MailError, MailMessage, MailResult, MailServer } from "../model/mail.ts";

/** Sends mails through the mail server of the operator. */
export interface Mailer {
  /** Resolves to the reason if the server did not accept the mail. Takes less than half a minute. */
  send(message: MailMessage): Promise<MailError | null>;
  /** Whether the server would accept mails from us. */
  check(): Promise<MailError | null>;
}

export interface MailRecipient {
  email: string;
  studioName: string;
}

export interface MailStore {
  /** The choices of these users in a studio; types without one have the default. */
  listChoices(studioId: string, userIds: readonly string[]): Promise<MailChoice[]>;
  saveChoices(choices: readonly MailChoice[]): Promise<void>;

  /** Stores the mails, except those about notifications or for a summary that has one. */
  insert(mails: readonly Mail[]): Promise<void>;
  /** The newest test message of the user in the studio. */
  findTest(studioId: string, userId: string): Promise<Mail | undefined>;
  /** Undefined unless the user is an enabled member of the studio and has a verified email. */
  findRecipient(studioId: string, userId: string): Promise<MailRecipient | undefined>;
  countWaiting(): Promise<number>;

  /** Whether a claim of the mail server makes sense: a mail is due, or it is unknown whether the server works. */
  hasDue(now: number): Promise<boolean>;
  /** Returns undefined if another process sends, or if the server needs a pause. */
  claimServer(now: number, lockedUntil: number): Promise<MailServer | undefined>;
  findServer(): Promise<MailServer | undefined>;
  /** Ends the claim of a process that has the server until `claimedUntil`. */
  releaseServer(claimedUntil: number, server: MailServer): Promise<void>;
  /** The longest waiting first. */
  listDue(now: number, limit: number): Promise<Mail[]>;
  /** Stores the result of an attempt, unless another process stored one since the mail was read. */
  saveResult(mail: Mail, result: MailResult): Promise<void>;
}
