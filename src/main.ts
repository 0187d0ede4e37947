import { findSettingFaults, openService } from "./open-service.ts";
import type { Service } from "./service.ts";
import { readOwnConfig, type Config } from "#config/config.ts";
import type { Edge } from "#http/server.ts";
import { createLog, type Log } from "#lib/log.ts";
import { openStandardOutput, type StandardOutput } from "#lib/log-output.ts";
import { OperatorError } from "#lib/operator-error.ts";

/** The process: settings in, signals, a greeting, and what to say when it cannot start. */
async function main(output: StandardOutput): Promise<void> {
  process.umask(0o077); // what we write is for this account only
  const config = readOwnConfig(findSettingFaults);
  const log = createLog(config.logLevel, output);
  const service = await openService(config, log);
  leaveOnSignal(service, log, output);
  await listen(service.edge, config);
  greet(config, log, output);
}

function listen(edge: Edge, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    edge.server.once("error", reject);
    edge.server.listen(port, host, () => {
      edge.server.off("error", reject);
      resolve();
    });
  });
}

/** How long the last log lines may take; a reader that does not read them by then gets none. */
const lastLinesMs = 1000;

/** The first signal finishes what was accepted; a second one leaves at once. */
function leaveOnSignal(service: Service, log: Log, output: StandardOutput): void {
  let leaving = false;
  const leave = (signal: NodeJS.Signals): void => {
    if (leaving) process.exit(1);
    leaving = true;
    log.info({ signal }, "draining");
    void service
      .close()
      .then(
        () => 0,
        (error: unknown) => {
          log.error({ err: error }, "could not leave in good order");
          return 1;
        },
      )
      .then(async (code) => {
        await output.flush(lastLinesMs);
        process.exit(code);
      });
  };
  process.on("SIGTERM", leave);
  process.on("SIGINT", leave);
}

function greet({ base }: Config, log: Log, output: StandardOutput): void {
  if (!output.isTerminal) {
    log.info({ url: base }, `ready: open ${base}`);
    return;
  }
  output.write(
    `\n  Atelier is ready.\n\n  Open       ${base}\n  Connect    claude mcp add --transport http atelier ${base}/mcp\n  Stop       Ctrl-C\n\n`,
  );
}

/** What a person can mend is said in plain words; anything else is a fault of ours and shows where it happened. */
function explain(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === "EADDRINUSE")
    return `Atelier cannot start: port ${port} is already in use. Set PORT to another one, or stop the program that uses it.`;
  if (code?.startsWith("E") || /^[0-9A-Z]{5}$/.test(code ?? "")) return `Atelier cannot start: ${message}`;
  return `Atelier cannot start: ${error instanceof Error ? error.stack : String(error)}`;
}

const output = openStandardOutput(process.stdout);
main(output).catch(async (error: unknown) => {
  await output.flush(lastLinesMs); // what happened before comes before the reason
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
});
