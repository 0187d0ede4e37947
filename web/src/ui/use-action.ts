import { useState } from "react";

export interface ActionState {
  isRunning: boolean;
  /** What the last run threw, or undefined. */
  error: unknown;
  run: (action: () => Promise<unknown>) => Promise<void>;
}

/** Runs the action of a button or form, and reports whether it is running and whether it failed. */
export function useAction(): ActionState {
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  return {
    isRunning,
    error,
    run: async (action) => {
      setIsRunning(true);
      setError(undefined);
      try {
        await action();
      } catch (failure) {
        setError(failure);
      } finally {
        setIsRunning(false);
      }
    },
  };
}
