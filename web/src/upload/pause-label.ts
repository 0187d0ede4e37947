import type { UploadSummary } from "./upload-task.ts";

/** The label of the button that pauses or resumes all uploads. Resuming also retries failed files. */
export function getPauseLabel({ state, unfinishedCount, failedCount }: UploadSummary): string {
  if (state !== "paused") return unfinishedCount > 1 ? "Pause all" : "Pause";
  return unfinishedCount + failedCount > 1 ? "Resume all" : "Resume";
}
