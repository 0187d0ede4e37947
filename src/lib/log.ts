import { pino, type Logger } from "pino";
import type { LogOutput } from "./log-output.ts";
import { formatLogLine, formatRequestLine } from "./terminal-log.ts";

/** Who sent a request and what the request does, as far as its route knows. Contains ids and names, no secrets. */
export interface RequestLogContext {
  userId?: string;
  studioId?: string;
  clientId?: string;
  /** The method of the MCP message; `method` is the HTTP method. */
  rpcMethod?: string;
  tool?: string;
}

export interface RequestLogEntry {
  requestId: string;
  method: string;
  path: string;
  status: number;
  ms: number;
  /** The client disconnected before the response was sent. */
  isDisconnected: boolean;
  context: RequestLogContext | undefined;
  /** The response is a file of the web app. */
  isStaticFile?: boolean | undefined;
  /** A health check of a load balancer or supervisor, or a scrape of metrics. */
  isProbe?: boolean | undefined;
}

export type Log = Logger & {
  /** Writes one line per request. */
  request(entry: RequestLogEntry): void;
  /** How many lines were dropped so far because the output was full, blocked or closed. */
  countDroppedLines(): number;
};

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const noOutput: LogOutput = { write: () => {} };

/** Logs JSON lines, or readable lines on a terminal. Redacts fields that may contain secrets. */
export function createLog(level: (typeof logLevels)[number], output: LogOutput = noOutput): Log {
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
          "err.rawPacket", // the bytes of a request that Node could not parse
        ],
        censor: "[redacted]",
      },
    },
    output.isTerminal ? { write: (line) => output.write(formatLogLine(line)) } : output,
  );
  const formatRequest = output.isTerminal ? formatRequestLine : createJsonFormatter();
  const log: Log = Object.assign(logger, {
    request(entry: RequestLogEntry): void {
      if (!logger.isLevelEnabled(getRequestLevel(entry))) return;
      const line = formatRequest(entry);
      if (line !== undefined) output.write(line);
    },
    countDroppedLines: () => output.countDroppedLines?.() ?? 0,
  });
  output.onRecovery?.((lines) => log.warn({ lines }, "log lines dropped"));
  return log;
}

/** Successful probes are logged at `debug`, because they arrive every second and would hide other requests. */
function getRequestLevel({ status, isProbe }: RequestLogEntry): "warn" | "info" | "debug" {
  if (status >= 500) return "warn";
  return isProbe && status < 400 ? "debug" : "info";
}

/** Serialized by hand, because pino would make a tool call 10 % slower. `cut` means that the client disconnected. */
function createJsonFormatter(): (entry: RequestLogEntry) => string {
  const formatTime = createTimeFormatter();
  return (entry) => {
    const { requestId, method, path, status, ms, isDisconnected, context } = entry;
    const extraFields = context === undefined ? "" : JSON.stringify(context).slice(1, -1);
    return (
      `{"level":"${getRequestLevel(entry)}","time":"${formatTime(Date.now())}","requestId":"${requestId}","method":${JSON.stringify(method)},` +
      `"path":${JSON.stringify(path)},"status":${status},"ms":${ms}${extraFields === "" ? "" : `,${extraFields}`}${isDisconnected ? ',"cut":true' : ""},"msg":"request"}\n`
    );
  };
}

/** Formats times as ISO 8601. Formats the date once per second, because it takes longer than the rest of a line. */
function createTimeFormatter(): (ms: number) => string {
  let secondStart = Number.NaN;
  let prefix = "";
  return (ms) => {
    const milliseconds = ms % 1000;
    if (ms - milliseconds !== secondStart) {
      secondStart = ms - milliseconds;
      prefix = new Date(ms).toISOString().slice(0, -4); // without the milliseconds and `Z`
    }
    return `${prefix}${String(milliseconds).padStart(3, "0")}Z`;
  };
}
