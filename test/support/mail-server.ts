import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { createMailer, type MailerOptions } from "#mail/mailer.ts";
import type { Mailer } from "#domain/ports/mails.ts";

export interface ReceivedMail {
  /** Of the envelope. */
  from: string;
  to: string[];
  /** Unfolded, by lower-case name. */
  headers: ReadonlyMap<string, string>;
  headerLines: readonly string[];
  text: string;
  html: string;
}

export interface MailServer {
  url: string;
  /** The accepted mails. */
  received: ReceivedMail[];
  /** The number of connections so far. */
  connectionCount: number;
  /** How the next mails are answered: accepted, or with this SMTP error at this command. */
  failAt: { command: "MAIL FROM" | "RCPT TO" | "DATA" | "connect"; code: number } | undefined;
  newMailer(options?: Partial<MailerOptions>): Mailer;
  close(): Promise<void>;
}

/** A real SMTP server that keeps what it receives. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const check = (command: NonNullable<MailServer["failAt"]>["command"]): Error | null =>
    mailServer.failAt?.command === command
      ? Object.assign(new Error("not now"), { responseCode: mailServer.failAt.code })
      : null;
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    onConnect(_session, callback) {
      mailServer.connectionCount++;
      callback(check("connect"));
    },
    onMailFrom: (_address, _session, callback) => callback(check("MAIL FROM")),
    onRcptTo: (_address, _session, callback) => callback(check("RCPT TO")),
    onData(stream, { envelope }, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.once("end", () => {
        const error = check("DATA");
        if (error) return callback(error);
        const from = envelope.mailFrom ? envelope.mailFrom.address : "";
        const to = envelope.rcptTo.map(({ address }) => address);
        mailServer.received.push({ from, to, ...parseMail(Buffer.concat(chunks).toString("latin1")) });
        return callback();
      });
    },
    ...options,
  });
  server.on("error", () => {}); // clients that end early
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  const mailServer: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    received: [],
    connectionCount: 0,
    failAt: undefined,
    newMailer: (mailerOptions) =>
      createMailer({
        host: "127.0.0.1",
        port,
        secure: false,
        startTls: "ignored",
        credentials: undefined,
        from: { name: "Atelier", address: "atelier@example.com" },
        base: "https://atelier.example.com",
        ...mailerOptions,
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailServer;
}

/** Reads headers, and the text and HTML part of `multipart/alternative`. */
function parseMail(source: string): Omit<ReceivedMail, "from" | "to"> {
  const { headers, headerLines, body } = parsePart(source);
  const boundary = /boundary="([^"]+)"/.exec(headers.get("content-type") ?? "")?.[1];
  const parts =
    boundary === undefined
      ? []
      : body
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((part) => parsePart(part.trimStart()));
  const findText = (type: string): string =>
    parts.map((part) => (part.headers.get("content-type")?.startsWith(type) ? decodeBody(part) : "")).join("");
  return { headers, headerLines, text: findText("text/plain"), html: findText("text/html") };
}

interface Part {
  headers: Map<string, string>;
  headerLines: string[];
  body: string;
}

function parsePart(source: string): Part {
  const end = source.indexOf("\r\n\r\n");
  const headerLines = source
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = new Map(
    headerLines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      decodeWords(line.replace(/^[^:]*:\s*/, "")),
    ]),
  );
  return { headers, headerLines, body: source.slice(end + 4) };
}

/** RFC 2047. */
const decodeWords = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, encoding: string, text: string) =>
      encoding.toLowerCase() === "b"
        ? Buffer.from(text, "base64").toString()
        : decodeQuotedPrintable(text.replaceAll("_", " ")),
    );

const decodeQuotedPrintable = (text: string): string =>
  Buffer.from(
    text
      .replace(/=\r\n/g, "")
      .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString();

function decodeBody({ headers, body }: Part): string {
  const encoding = headers.get("content-transfer-encoding");
  if (encoding === "base64") return Buffer.from(body, "base64").toString();
  const text = encoding === "quoted-printable" ? decodeQuotedPrintable(body) : body;
  return text.replaceAll("\r\n", "\n").trimEnd();
}
