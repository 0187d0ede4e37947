import { seconds } from "#lib/clock.ts";
import type { CallOutcome } from "./publish-calls.ts";
import type { ContainerStatus } from "./publishing.ts";

/** How long one run waits for the platform to process media or a container. Later runs continue to wait. */
const maxWaitMs = seconds(30);
const pollDelay = { minMs: seconds(1), maxMs: seconds(10) } as const;

type PendingStatus = "in_progress" | { checkAfterMs: number };

/**
 * Polls the status until the platform has processed the media or the container, then returns the last status. Returns
 * `unknown` after `maxWaitMs`. `value` is undefined if `signal` ended the wait.
 */
export async function awaitProcessing(
  readStatus: () => Promise<CallOutcome<ContainerStatus>>,
  sleep: (ms: number) => Promise<void>,
  signal: AbortSignal,
): Promise<CallOutcome<Exclude<ContainerStatus, PendingStatus> | undefined>> {
  const abortPromise = new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  let delayMs: number = pollDelay.minMs;
  for (let waitedMs = 0; waitedMs < maxWaitMs; waitedMs += delayMs) {
    if (signal.aborted) return { value: undefined };
    const status = await readStatus();
    if ("kind" in status) return status;
    if (!isPending(status.value)) return { value: status.value };
    // To send few requests, each delay is twice the previous one, unless the platform states a delay.
    const nextDelayMs = getCheckDelay(status.value) ?? (waitedMs === 0 ? delayMs : delayMs * 2);
    delayMs = Math.min(Math.max(nextDelayMs, pollDelay.minMs), pollDelay.maxMs);
    await Promise.race([sleep(delayMs), abortPromise]);
  }
  return { kind: "unknown", message: "the platform is still processing the media" };
}

const isPending = (status: ContainerStatus): status is PendingStatus =>
  status === "in_progress" || getCheckDelay(status) !== undefined;

const getCheckDelay = (status: ContainerStatus): number | undefined =>
  typeof status === "object" && "checkAfterMs" in status ? status.checkAfterMs : undefined;
