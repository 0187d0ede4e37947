import { createTransport, type NodemailerError } from "nodemailer";
import type { MailError, MailMessage } from "#domain/model/mail.ts";
import type { Mailer } from "#domain/ports/mails.ts";
import { seconds } from "#lib/clock.ts";
import { renderMail } from "./render-mail.ts";

export interface MailerOptions {
  host: string;
  port: number | undefined;
  /** TLS from the start, as with `smtps://`. */
  secure: boolean;
  /** `STARTTLS` before anything else: required, not used, or used if the server offers it. */
  startTls: "required" | "ignored" | "offered";
  credentials: { user: string; pass: string } | undefined;
  from: { name: string; address: string };
  /** `{base}`: its host is part of the Message-ID. */
  base: string;
}

/** Ends before the lease of the sender does, even if the server never responds. */
const attemptTimeoutMs = seconds(20);
const timeouts = {
  dnsTimeout: seconds(8),
  connectionTimeout: seconds(8),
  greetingTimeout: seconds(8),
  socketTimeout: seconds(10),
};

/** Sends mails by SMTP, each over its own connection. */
export function createMailer(options: MailerOptions): Mailer {
  const { host, port, secure, startTls, credentials, from, base } = options;
  const transport = createTransport({
    host,
    ...(port === undefined ? {} : { port }),
    secure,
    requireTLS: startTls === "required",
    ignoreTLS: startTls === "ignored",
    ...(credentials ? { auth: credentials } : {}),
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const attempt = (work: Promise<unknown>): Promise<MailError | null> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve("unreachable"), attemptTimeoutMs);
      work.then(
        () => resolve(null),
        (error: unknown) => resolve(classifyError(error as Partial<NodemailerError>)),
      );
      work.catch(() => {}).finally(() => clearTimeout(timer));
    });

  return {
    check: () => attempt(transport.verify()),
    send: (message) => attempt(transport.sendMail(toEnvelope(message, from, base))),
  };
}

/** Recipient and sender are objects, so that the library parses no list of addresses. */
function toEnvelope(message: MailMessage, from: MailerOptions["from"], base: string) {
  const { id, to, unsubscribeUrl } = message;
  return {
    from,
    to: { name: "", address: to },
    envelope: { from: from.address, to: [to] },
    messageId: `<${id}@${new URL(base).hostname}>`,
    headers: {
      "Auto-Submitted": "auto-generated", // RFC 3834 §5: no vacation replies
      ...(unsubscribeUrl === undefined
        ? {}
        : { "List-Unsubscribe": `<${unsubscribeUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }), // RFC 8058
    },
    ...renderMail(message),
  };
}

/** RFC 5321 §4.2.1: 4yz is temporary, 5yz is final. */
function classifyError({ code, command, responseCode = 0 }: Partial<NodemailerError>): MailError {
  if (code === "EAUTH" || code === "ENOAUTH") return "sign_in";
  if (responseCode < 400 || responseCode === 421) return "unreachable";
  if (command === "MAIL FROM" && responseCode >= 500) return "sender";
  if (command !== "MAIL FROM" && command !== "RCPT TO" && command !== "DATA") return "unreachable";
  return responseCode >= 500 ? "rejected" : "deferred";
}
