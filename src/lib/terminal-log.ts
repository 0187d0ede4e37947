import type { RequestFacts } from "./log.ts";

/** A request for a person at a terminal; undefined for the web app's own files, which would push everything else away. */
export function describeRequest({
  method,
  path,
  status,
  ms,
  cut,
  about,
  isStaticFile,
}: RequestFacts): string | undefined {
  if (isStaticFile) return undefined;
  const { userId = "-", rpcMethod, tool } = about ?? {};
  const parts = [timeOf(new Date()), method, path, String(status), `${ms} ms`, userId, rpcMethod, tool];
  return `${parts
    .filter((part) => part !== undefined)
    .map(escapeControls)
    .join(" ")}${cut ? " (client disconnected)" : ""}\n`;
}

/** Any other line of the log, which comes as JSON. */
export function describeLine(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const values = Object.entries(fields).map(([name, value]) => `${name}=${inline(value)}`);
  const head = [timeOf(new Date(String(time))), level === "info" ? "" : String(level), inline(msg ?? ""), ...values];
  const cause = (err as { stack?: unknown } | undefined)?.stack ?? err;
  const lines = [
    head.filter((part) => part !== "").join(" "),
    ...(cause === undefined ? [] : inline(cause).split("\n")),
  ];
  return lines.map((text, index) => `${index === 0 ? "" : "    "}${escapeControls(text)}\n`).join("");
}

function inline(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function timeOf(date: Date): string {
  return date.toTimeString().slice(0, 8);
}

/** What a client sent can neither move the cursor nor start a line of its own. */
function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
