import { useCallback, useRef } from "react";

/**
 * Runs one call at a time: a call that starts while another one runs waits for it, and then includes what changed
 * meanwhile. Continues after the component is gone. `run` must not reject.
 */
export function useSequence<Result>(run: () => Promise<Result>): () => Promise<Result> {
  const previous = useRef<Promise<unknown>>(Promise.resolve());
  return useCallback(() => {
    const current = previous.current.then(run);
    previous.current = current;
    return current;
  }, [run]);
}
