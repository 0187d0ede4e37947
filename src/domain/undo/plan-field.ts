export interface FieldStep {
  /** Whether this step is among the changes to undo. */
  isSelected: boolean;
  /** Whether the field changed in this step. */
  isChange: boolean;
}

/**
 * - `revert`: no one else changed the field after the last selected change. Restore the value from before the step
 *   `first`, the start of the last uninterrupted run of selected changes.
 * - `conflict`: someone else changed the field after the selected change `last`, so their value stays.
 */
export type FieldPlan = { kind: "revert" | "conflict"; first: number; last: number } | undefined;

/** Decides what to do with one field, given its history from the first selected change on, oldest first. */
export function planField(steps: readonly FieldStep[]): FieldPlan {
  const last = steps.findLastIndex((step) => step.isChange && step.isSelected);
  if (last < 0) return undefined;
  const lastByOthers = steps.findLastIndex((step, i) => i < last && step.isChange && !step.isSelected);
  const first = steps.findIndex((step, i) => i > lastByOthers && step.isChange && step.isSelected);
  const isOverwritten = steps.slice(last + 1).some((step) => step.isChange);
  return { kind: isOverwritten ? "conflict" : "revert", first, last };
}
