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

export function formatICalendar({ name, events }: ICalendar): string {
  const title = escapeText(name);
  const lines = [
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
    ...events.flatMap(formatEvent),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${foldLine(line)}\r\n`).join("");
}

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
  if (Buffer.byteLength(line) <= maxLineBytes) return line;
  let foldedLine = "";
  let lineBytes = 0;
  for (const character of line) {
    const bytes = Buffer.byteLength(character);
    if (lineBytes + bytes > maxLineBytes) {
      foldedLine += "\r\n ";
      lineBytes = 1;
    }
    foldedLine += character;
    lineBytes += bytes;
  }
  return foldedLine;
}
