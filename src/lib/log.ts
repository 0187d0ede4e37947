import { pino, type Logger } from "pino";
import type { LogOutput } from "./log-output.ts";
import { describeLine, describeRequest } from "./terminal-log.ts";

/** Who sent a request and what it is for, as far as its route knows: our ids and names, nothing secret. */
export interface RequestAbout {
  userId?: string;
  studioId?: string;
  clientId?: string;
  /** The method of the MCP message; `method` is the one of HTTP. */
  rpcMethod?: string;
  tool?: string;
}

export interface RequestFacts {
  requestId: string;
  method: string;
  path: string;
  status: number;
  ms: number;
  /** The client disconnected before the response was sent. */
  cut: boolean;
  about: RequestAbout | undefined;
  /** It was answered with a file of the web app. */
  isStaticFile?: boolean | undefined;
}

export type Log = Logger & {
  /** Writes the one line of a request. */
  request(facts: RequestFacts): void;
  /** How many lines were lost so far because the output was full, blocked or closed. */
  droppedLines(): number;
};

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const nowhere: LogOutput = { write: () => {} };

/** JSON lines, or readable ones on a terminal; without an output they go nowhere. What could carry a secret never reaches a line. */
export function createLog(level: (typeof logLevels)[number], output: LogOutput = nowhere): Log {
  const logger = pino(
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
    output.isTerminal ? { write: (line) => output.write(describeLine(line)) } : output,
  );
  const describe = output.isTerminal ? describeRequest : requestLine;
  const log: Log = Object.assign(logger, {
    request(facts: RequestFacts): void {
      if (!logger.isLevelEnabled(requestLevel(facts))) return;
      const line = describe(facts);
      if (line !== undefined) output.write(line);
    },
    droppedLines: () => output.droppedLines?.() ?? 0,
  });
  output.onRecovery?.((lines) => log.warn({ lines }, "log lines dropped"));
  return log;
}

function requestLevel({ status }: RequestFacts): "warn" | "info" {
  return status >= 500 ? "warn" : "info";
}

/** Written by hand: through pino it would cost a tenth of a tool call. */
function requestLine(facts: RequestFacts): string {
  const { requestId, method, path, status, ms, cut, about: context } = facts;
  const extraFields = context === undefined ? "" : JSON.stringify(context).slice(1, -1);
  return (
    `{"level":"${requestLevel(facts)}","time":"${new Date().toISOString()}","requestId":"${requestId}","method":${JSON.stringify(method)},` +
    `"path":${JSON.stringify(path)},"status":${status},"ms":${ms}${extraFields === "" ? "" : `,${extraFields}`}${cut ? ',"cut":true' : ""},"msg":"request"}\n`
  );
}

/** Path segments and query values that are themselves a key to something. */
const secretSegmentPattern = /^\/(u|join|files|consent|connect)\/.+/;

const secretPathPattern =
  /^(\/api\/invitations|\/api\/auth\/oauth2\/authorize|\/dev-idp\/(?:auth|sign-in)|\/sandbox\/(?:auth|access))\/[^/]+/;

/** The path of a request as the log may show it: no query, and no token that stands in the path. */
export function redactPath(url: string): string {
  // RFC 9112 §3.2.2: a request may name the whole address.
  const path = url.replace(/^https?:\/\/[^/?#]*/i, "").split("?", 1)[0] ?? "";
  const withoutSegments = path.replace(secretSegmentPattern, (_, segment: string) => `/${segment}/[redacted]`);
  const redacted = withoutSegments.replace(secretPathPattern, "$1/[redacted]");
  return redacted.length > 200 ? `${redacted.slice(0, 200)}…` : redacted;
}
