import type { BatchOptions } from "#domain/steps/run-in-batches.ts";

/** Lets a background job run to its end without pauses. */
export const untilDone: BatchOptions = { pause: async () => {}, shouldStop: () => false };
