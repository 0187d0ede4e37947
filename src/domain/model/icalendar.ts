/** A calendar in the format of RFC 5545. */
export interface ICalendar {
  name: string;
  events: readonly ICalendarEvent[];
}

export interface ICalendarEvent {
  /** Identifies the event in every version of the calendar. */
  uid: string;
  /** Increases when the event changes. */
  sequence: number;
  changedAt: number;
  startsAt: number;
  durationMs: number;
  status: "TENTATIVE" | "CONFIRMED" | "CANCELLED";
  summary: string;
  description: string;
  url: string;
}

/** Calls `pause` before each event, because many take long. */
export async function formatICalendar({ name, events }: ICalendar, pause: () => Promise<void>): Promise<string> {
  const title = escapeText(name);
  let text = formatLines([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Atelier//Calendar feed//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    // Outlook ignores NAME and REFRESH-INTERVAL (RFC 7986); both have an older name.
    `NAME:${title}`,
    `X-WR-CALNAME:${title}`,
    "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    "X-PUBLISHED-TTL:PT1H",
  ]);
  for (const event of events) {
    await pause();
    text += formatLines(formatEvent(event));
  }
  return text + formatLines(["END:VCALENDAR"]);
}

const formatLines = (lines: readonly string[]): string => lines.map((line) => `${foldLine(line)}\r\n`).join("");

const formatEvent = (event: ICalendarEvent): string[] => [
  "BEGIN:VEVENT",
  `UID:${escapeText(event.uid)}`,
  `DTSTAMP:${formatTime(event.changedAt)}`,
  `LAST-MODIFIED:${formatTime(event.changedAt)}`,
  `SEQUENCE:${event.sequence}`,
  `DTSTART:${formatTime(event.startsAt)}`,
  `DTEND:${formatTime(event.startsAt + event.durationMs)}`,
  `STATUS:${event.status}`,
  "TRANSP:TRANSPARENT",
  `SUMMARY:${escapeText(event.summary)}`,
  `DESCRIPTION:${escapeText(event.description)}`,
  `URL:${URL.parse(event.url)?.href ?? ""}`,
  "END:VEVENT",
];

/** `20261115T093000Z` (RFC 5545 §3.3.5, form 2). */
const formatTime = (ms: number): string => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, "");

/** RFC 5545 §3.3.11. Control characters other than line breaks and tabs are not allowed. */
const escapeText = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(/[\u0000-\u0008\u000B-\u001F\u007F]/g, "")
    .replace(/[\\;,]/g, "\\$&")
    .replaceAll("\n", "\\n");

const maxLineBytes = 75;

/** RFC 5545 §3.1: lines have at most 75 bytes; the next ones start with a space. Characters are not split. */
function foldLine(line: string): string {
  if (line.length * 3 <= maxLineBytes) return line;
  const bytes = Buffer.from(line);
  if (bytes.length <= maxLineBytes) return line;
  const parts: string[] = [];
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(bytes.length, start + maxLineBytes - (start === 0 ? 0 : 1));
    while (isContinuation(bytes[end])) end--;
    parts.push(bytes.toString("utf8", start, end));
    start = end;
  }
  return parts.join("\r\n ");
}

/** Whether a byte is part of a character that starts before it. */
const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80;
