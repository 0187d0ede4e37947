import { findSettingFaults, openService } from "./open-service.ts";
import type { Service } from "./service.ts";
import { readOwnConfig, type Config } from "#config/config.ts";
import type { Edge } from "#http/server.ts";
import { createLog, type Log } from "#lib/log.ts";
import { OperatorError } from "#lib/operator-error.ts";

/** The process: settings in, signals, a greeting, and what to say when it cannot start. */
async function main(): Promise<void> {
  process.umask(0o077); // what we write is for this account only
  const config = readOwnConfig(findSettingFaults);
  const log = createLog(config.logLevel);
  const service = await openService(config, log);
  leaveOnSignal(service, log);
  await listen(service.edge, config);
  greet(config, log);
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

/** The first signal finishes what was accepted; a second one leaves at once. */
function leaveOnSignal(service: Service, log: Log): void {
  let leaving = false;
  const leave = (signal: NodeJS.Signals): void => {
    if (leaving) process.exit(1);
    leaving = true;
    log.info({ signal }, "draining");
    void service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "could not leave in good order");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", leave);
  process.on("SIGINT", leave);
}

function greet({ base }: Config, log: Log): void {
  if (!process.stdout.isTTY) {
    log.info({ url: base }, `ready: open ${base}`);
    return;
  }
  process.stdout.write(
    `\n  Atelier is ready.\n\n  Open       ${base}\n  Connect    claude mcp add --transport http atelier ${base}/mcp\n  Stop       Ctrl-C\n\n`,
  );
}

/** What a person can mend is said in plain words; anything else is a fault of ours and shows where it happened. */
function explain(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return `Atelier cannot start: the address is in use (${message}). Set PORT, or stop what listens there.`;
  if (code?.startsWith("E") || /^[0-9A-Z]{5}$/.test(code ?? "")) return `Atelier cannot start: ${message}`;
  return `Atelier cannot start: ${error instanceof Error ? error.stack : String(error)}`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
});
