import { useCallback, useRef } from "react";

/**
 * Returns a function that calls `run` as soon as the previous call has finished. Calls continue after the component is
 * unmounted. `run` must not reject, because later calls would then never run.
 */
export function useSequentialCalls<Result>(run: () => Promise<Result>): () => Promise<Result> {
  const lastCall = useRef<Promise<unknown>>(Promise.resolve());
  return useCallback(() => {
    const call = lastCall.current.then(run);
    lastCall.current = call;
    return call;
  }, [run]);
}
