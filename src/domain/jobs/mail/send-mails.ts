import { seconds } from "#lib/clock.ts";
import { readIdNumbers } from "#lib/ids.ts";
import type { WorkerLoop } from "#lib/worker-loop.ts";
import {
  isServerFailure,
  type Mail,
  type MailError,
  type MailOutcome,
  type MailServer,
  toMailResult,
} from "../../model/mail.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Mailer } from "../../ports/mails.ts";
import { rateEndpoint, sendDue, type SendLoopOptions, startSendLoop } from "../send-loop.ts";
import { composeMail, type ComposeDeps } from "./compose-mail.ts";

/** While the server fails. */
const minPauseMs = seconds(5);

type SenderDeps = ComposeDeps & Pick<Deps, "transact"> & { mailer: Mailer };

/** Sends the mails that are due. One process at a time does so. */
export function startMailSender(deps: SenderDeps, options: SendLoopOptions): WorkerLoop {
  const loop = {
    maxEndpoints: 1,
    hasDue: deps.mails.hasDue,
    async claimDue(now: number, lockedUntil: number) {
      const server = await deps.mails.claimServer(now, lockedUntil);
      return server ? [server] : [];
    },
    sendBatch: (server: MailServer, signal: AbortSignal) => sendBatch(deps, server, signal),
  };
  return startSendLoop(deps, loop, options);
}

async function sendBatch(deps: SenderDeps, server: MailServer, signal: AbortSignal): Promise<void> {
  const batch = {
    list: deps.mails.listDue,
    send: (mail: Mail) => sendMail(deps, mail),
    endsBatch: (outcome: MailOutcome) => isFailure(outcome),
  };
  const attempts = await sendDue(deps, server, batch, signal);
  const outcomes = attempts.map(({ outcome }) => outcome).filter(isResponse);
  // If nothing is due, the server is claimed because it is unknown whether it works (again). Only a mail shows whether it
  // accepts the sender.
  if (attempts.length === 0 && server.lastError !== "sender") outcomes.push(await deps.mailer.check());
  const now = deps.clock();
  const { failingSince, pauseMs } = rateEndpoint(
    server,
    outcomes.map((outcome) => !isServerFailure(outcome)),
    now,
  );
  const lastError = failingSince === null ? null : (outcomes.findLast(isServerFailure) ?? server.lastError);
  await deps.transact({ job: "send mails" }, async (tx) => {
    for (const { delivery, outcome } of attempts) {
      const createdAt = delivery.summaryAt ?? readIdNumbers(delivery.id).time;
      await tx.mails.saveResult(delivery, toMailResult(delivery, createdAt, outcome, now));
    }
    const lockedUntil = failingSince === null ? now : now + Math.max(pauseMs, minPauseMs);
    await tx.mails.releaseServer(server.lockedUntil, { lockedUntil, failingSince, lastError });
  });
}

/** Whether the mail server was asked. */
const isResponse = (outcome: MailOutcome): outcome is MailError | null =>
  outcome !== "dropped" && outcome !== "secret_lost";
const isFailure = (outcome: MailOutcome): boolean => isResponse(outcome) && isServerFailure(outcome);

async function sendMail(deps: SenderDeps, mail: Mail): Promise<MailOutcome> {
  const composed = await composeMail(deps, mail);
  return typeof composed === "string" ? composed : deps.mailer.send(composed);
}
