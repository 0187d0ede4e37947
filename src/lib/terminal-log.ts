import type { RequestLogEntry } from "./log.ts";

/** Formats a request as one line. Returns undefined for files of the web app, which would flood the terminal. */
export function formatRequestLine({
  method,
  path,
  status,
  ms,
  isDisconnected,
  context,
  isStaticFile,
}: RequestLogEntry): string | undefined {
  if (isStaticFile) return undefined;
  const { userId = "-", rpcMethod, tool } = context ?? {};
  const parts = [formatTime(new Date()), method, path, String(status), `${ms} ms`, userId, rpcMethod, tool];
  return `${parts
    .filter((part) => part !== undefined)
    .map(escapeControls)
    .join(" ")}${isDisconnected ? " (client disconnected)" : ""}\n`;
}

/** Formats any other log line, which arrives as JSON. */
export function formatLogLine(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const values = Object.entries(fields).map(([name, value]) => `${name}=${toText(value)}`);
  const firstLine = [
    formatTime(new Date(String(time))),
    level === "info" ? "" : String(level),
    toText(msg ?? ""),
    ...values,
  ];
  const cause = (err as { stack?: unknown } | undefined)?.stack ?? err;
  const lines = [
    firstLine.filter((part) => part !== "").join(" "),
    ...(cause === undefined ? [] : toText(cause).split("\n")),
  ];
  return lines.map((text, index) => `${index === 0 ? "" : "    "}${escapeControls(text)}\n`).join("");
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function formatTime(date: Date): string {
  return date.toTimeString().slice(0, 8);
}

/** Escapes control characters: text from clients must not move the cursor or start a new line. */
function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
