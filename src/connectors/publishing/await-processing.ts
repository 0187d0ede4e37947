import { seconds } from "#lib/clock.ts";
import { CallFailure, stillProcessingOutcome } from "./call-failure.ts";
import type { PrepareContext } from "./publish-module.ts";

/** How long one run waits for the platform to process media or a container. Later runs continue to wait. */
const maxWaitMs = seconds(30);
const pollDelay = { minMs: seconds(1), maxMs: seconds(10) } as const;

/** The status of media, or of a container. `expired`: it can no longer become public. */
export type ProcessingStatus =
  /** `checkAfterMs`: when to check again, if the platform states that. */
  { kind: "in_progress"; checkAfterMs?: number } | ProcessedStatus;

interface ProcessedStatus {
  kind: "ready" | "rejected" | "expired" | "published";
}

/** Polls the status until the platform has processed the media or the container. Fails after `maxWaitMs`. */
export async function awaitProcessing(
  { sleep, signal }: Pick<PrepareContext, "sleep" | "signal">,
  readStatus: () => Promise<ProcessingStatus>,
): Promise<ProcessedStatus> {
  const abortPromise = new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  let delayMs: number = pollDelay.minMs;
  for (let waitedMs = 0; waitedMs < maxWaitMs && !signal.aborted; waitedMs += delayMs) {
    const status = await readStatus();
    if (status.kind !== "in_progress") return status;
    // To send few requests, each delay is twice the previous one, unless the platform states a delay.
    const nextDelayMs = status.checkAfterMs ?? (waitedMs === 0 ? delayMs : delayMs * 2);
    delayMs = Math.min(Math.max(nextDelayMs, pollDelay.minMs), pollDelay.maxMs);
    await Promise.race([sleep(delayMs), abortPromise]);
  }
  throw new CallFailure(stillProcessingOutcome);
}
