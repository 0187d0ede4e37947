import { pino, type DestinationStream, type Logger } from "pino";

export type Log = Logger;

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** JSON lines on standard output. What could carry a secret never reaches a line. */
export function createLog(level: (typeof logLevels)[number], destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [
          "authorization",
          "cookie",
          "headers.authorization",
          "headers.cookie",
          '*["set-cookie"]',
          "token",
          "secret",
        ],
        censor: "[redacted]",
      },
    },
    destination ?? standardOutput(),
  );
}

/** How long a line may wait for others to be written with. A process that ends, even by a fault, writes what it has. */
const patienceMs = 200;

/** A write for each line would cost more than all else about the line. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, minLength: 4096 });
  setInterval(() => output.flush(), patienceMs).unref();
  return output;
}

export interface RequestFacts {
  requestId: string;
  method: string;
  path: string;
  status: number;
  ms: number;
  /** The client left before the answer was out. */
  cut: boolean;
  /** Who asked, and for what, where the route knows: ids and names of ours, nothing secret. */
  about: object | undefined;
}

/** The line of every request. It is written by hand: through pino it would cost a tenth of a tool call. */
export function logRequest(log: Log, { requestId, method, path, status, ms, cut, about }: RequestFacts): void {
  const level = status >= 500 ? "warn" : "info";
  if (!log.isLevelEnabled(level)) return;
  const more = about === undefined ? "" : JSON.stringify(about).slice(1, -1);
  (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym]?.write(
    `{"level":"${level}","time":"${new Date().toISOString()}","requestId":"${requestId}","method":${JSON.stringify(method)},` +
      `"path":${JSON.stringify(path)},"status":${status},"ms":${ms}${more === "" ? "" : `,${more}`}${cut ? ',"cut":true' : ""},"msg":"request"}\n`,
  );
}

/** Path segments and query values that are themselves a key to something. */
const secretSegments = /^\/(u|join|files|consent|connect)\/.+/;

const deepSecret = /^(\/api\/invitations|\/api\/auth\/oauth2\/authorize|\/dev-idp\/(?:auth|sign-in))\/[^/]+/;

/** The path of a request as the log may show it: no query, and no token that stands in the path. */
export function loggedPath(url: string): string {
  // RFC 9112 §3.2.2: a request may name the whole address.
  const path = url.replace(/^https?:\/\/[^/?#]*/i, "").split("?", 1)[0] ?? "";
  const shown = path.replace(secretSegments, (_, room: string) => `/${room}/[redacted]`);
  const plain = shown.replace(deepSecret, "$1/[redacted]");
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}
