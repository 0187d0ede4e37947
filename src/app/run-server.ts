import { once } from "node:events";
import { openService } from "./open-service.ts";
import type { Service } from "./service.ts";
import { findSettingProblems } from "./setting-problems.ts";
import { readProcessConfig, type Config } from "#config/config.ts";
import { createLog, type Log } from "#lib/log.ts";
import { openStandardOutput, type StandardOutput } from "#lib/log-output.ts";
import { OperatorError } from "#lib/errors.ts";

/** The server process: reads the config, handles signals, prints the greeting and reports startup errors. */
export async function runServer(): Promise<void> {
  const output = openStandardOutput(process.stdout);
  try {
    await start(output);
  } catch (error) {
    await output.flush(logFlushTimeoutMs); // print earlier log lines before the error
    process.stderr.write(`${formatStartupError(error)}\n`);
    process.exit(1);
  }
}

async function start(output: StandardOutput): Promise<void> {
  process.umask(0o077); // other accounts must not read our files
  const config = readProcessConfig(findSettingProblems);
  const log = createLog(config.logLevel, output);
  const service = await openService(config, log);
  shutDownOnSignal(service, log, output);
  const { nodeServer } = service.httpServer;
  nodeServer.listen(config.port, config.host);
  await once(nodeServer, "listening"); // rejects if the port is in use
  service.startWorker();
  service.startFanOut();
  announceReady(config, log, output);
  await output.flush(logFlushTimeoutMs); // supervisors may wait for this line
}

/** How long to wait at exit for a slow reader of the log. */
const logFlushTimeoutMs = 1000;

/** The first signal drains accepted requests; a second one exits immediately. */
function shutDownOnSignal(service: Service, log: Log, output: StandardOutput): void {
  let isShuttingDown = false;
  const shutDown = (signal: NodeJS.Signals): void => {
    if (isShuttingDown) process.exit(1);
    isShuttingDown = true;
    log.info({ signal }, "draining");
    void service
      .close()
      .then(
        () => 0,
        (error: unknown) => {
          log.error({ err: error }, "shutdown failed");
          return 1;
        },
      )
      .then(async (code) => {
        await output.flush(logFlushTimeoutMs);
        process.exit(code);
      });
  };
  process.on("SIGTERM", shutDown);
  process.on("SIGINT", shutDown);
}

function announceReady({ base }: Config, log: Log, output: StandardOutput): void {
  if (!output.isTerminal) {
    log.info({ url: base }, `ready: open ${base}`);
    return;
  }
  output.write(
    `\n  Atelier is ready.\n\n  Open       ${base}\n  Connect    claude mcp add --transport http atelier ${base}/mcp\n  Stop       Ctrl-C\n\n`,
  );
}

/** Prints only the message of errors that the operator can fix, and the stack of unexpected ones. */
function formatStartupError(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === "EADDRINUSE")
    return `Atelier cannot start: port ${port} is already in use. Set PORT to a free port, or stop the program that uses this one.`;
  const hasNodeErrorCode = code?.startsWith("E");
  const hasPostgresErrorCode = /^[0-9A-Z]{5}$/.test(code ?? "");
  if (hasNodeErrorCode || hasPostgresErrorCode) return `Atelier cannot start: ${message}`;
  return `Atelier cannot start: ${error instanceof Error ? error.stack : String(error)}`;
}
