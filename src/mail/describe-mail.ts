import type { MailContent } from "#domain/model/mail.ts";
import { toIsoTime } from "#lib/clock.ts";

/** Part of a mail. Text and HTML are made from the same blocks. */
export type Block =
  | { kind: "paragraph"; text: string }
  /** The most important action of the mail. */
  | { kind: "button"; label: string; url: string }
  | { kind: "list"; items: readonly { text: string; url: string }[] };

export interface MailText {
  subject: string;
  heading: string;
  blocks: readonly Block[];
  /** Why the recipient gets the mail. */
  reason: string;
}

/** The words of a mail. */
export function describeMail(content: MailContent): MailText {
  const { studioName } = content;
  switch (content.kind) {
    case "notification": {
      const { text = "", url = "" } = content.items[0] ?? {};
      return {
        subject: `${studioName}: ${text}`,
        heading: studioName,
        blocks: [
          { kind: "paragraph", text },
          { kind: "button", label: "Open in Atelier", url },
        ],
        reason: `You get this email because you are a member of ${studioName}.`,
      };
    }
    case "summary": {
      const { items, hasMore, studioUrl } = content;
      const count = hasMore ? `More than ${items.length}` : String(items.length);
      const news = items.length === 1 ? "1 notification" : `${count} notifications`;
      return {
        subject: `${studioName}: ${news}`,
        heading: `${news} in ${studioName}`,
        blocks: [
          { kind: "list", items },
          ...(hasMore ? [{ kind: "paragraph" as const, text: "The others are in your inbox in Atelier." }] : []),
          { kind: "button", label: "Open in Atelier", url: studioUrl },
        ],
        reason: `You get this summary once a day because you are a member of ${studioName}.`,
      };
    }
    case "invitation": {
      const { inviterName, role, url, expiresAt } = content;
      return {
        subject: `${inviterName} invited you to ${studioName}`,
        heading: `Join ${studioName}`,
        blocks: [
          {
            kind: "paragraph",
            text: `${inviterName} invited you as ${role === "member" ? "a" : "an"} ${role} of ${studioName}, a studio on Atelier. Sign in with this email to join.`,
          },
          { kind: "button", label: "Join the studio", url },
          { kind: "paragraph", text: `The link works once, until ${toIsoTime(expiresAt).slice(0, 10)}.` },
        ],
        reason: "If you did not expect this invitation, ignore this email. You will get no further emails.",
      };
    }
    case "test":
      return {
        subject: "Emails from Atelier work",
        heading: "Emails work",
        blocks: [
          { kind: "paragraph", text: "This is the test message that you requested. You don’t have to do anything." },
        ],
        reason: `You requested it in the settings of ${studioName}.`,
      };
  }
}
