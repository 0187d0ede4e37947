import { isLoopbackName } from "#lib/ip-address.ts";
import { isMailbox } from "#lib/mailbox.ts";
import type { Environment, Settings } from "./settings.ts";

export interface MailConfig {
  host: string;
  port: number | undefined;
  /** TLS from the start, as with `smtps://`. */
  secure: boolean;
  /** `STARTTLS` before anything else: required, not used, or used if the server offers it. */
  startTls: "required" | "ignored" | "offered";
  credentials: { user: string; pass: string } | undefined;
  from: { name: string; address: string };
}

/** The mail server and the sender; undefined if no mail server is configured. */
export function readMailSettings(
  settings: Settings,
  variables: Environment,
  problems: string[],
): MailConfig | undefined {
  const { SMTP_URL: url, MAIL_FROM: from } = settings;
  // A variable that is set to an invalid value is already reported.
  if (url !== undefined && variables["MAIL_FROM"] === undefined) problems.push("MAIL_FROM: required with SMTP_URL");
  if (from !== undefined && variables["SMTP_URL"] === undefined) problems.push("SMTP_URL: required with MAIL_FROM");
  if (url === undefined || from === undefined) return undefined;
  const { hostname, port, protocol, username, password } = url;
  const isLocal = isLoopbackName(hostname);
  // A password is not sent in plain text, except within this machine or if the operator says so.
  const requireTls = url.searchParams.get("requireTLS") ?? String(username !== "" && !isLocal);
  const optionalTls = isLocal ? "ignored" : "offered";
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? undefined : Number(port),
    secure: protocol === "smtps:",
    startTls: requireTls === "true" ? "required" : optionalTls,
    credentials:
      username === "" ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    from,
  };
}

/** A complete URL of a mail server; undefined if anything in it would be ignored or misread. */
export function parseSmtpUrl(value: string): URL | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^smtps?:\/\//.test(value) || url.hostname === "" || url.port === "0") return undefined;
  if (!/^\/?$/.test(url.pathname) || url.hash !== "" || !/^(\?requireTLS=(true|false))?$/.test(url.search))
    return undefined;
  if (url.username === "" && url.password !== "") return undefined;
  return [url.username, url.password].every(canDecode) ? url : undefined;
}

function canDecode(text: string): boolean {
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(text));
  } catch {
    return false;
  }
}

/** `Name <mail@example.com>` or `mail@example.com`. */
export function parseSender(value: string): { name: string; address: string } | undefined {
  const [, name = "", address = ""] = /^(?:([^<>\p{Cc}]*)<([^<>]+)>|)$/u.exec(value) ?? [];
  const sender =
    address === "" ? { name: "", address: value } : { name: name.trim().replace(/^"(.*)"$/, "$1"), address };
  return isMailbox(sender.address) ? sender : undefined;
}
