import { useCallback, useRef } from "react";

/**
 * Returns a function that runs one call at a time: a call during another one waits until that one has finished. Calls
 * continue after the component is unmounted. `run` must not reject.
 */
export function useSequence<Result>(run: () => Promise<Result>): () => Promise<Result> {
  const lastCall = useRef<Promise<unknown>>(Promise.resolve());
  return useCallback(() => {
    const call = lastCall.current.then(run);
    lastCall.current = call;
    return call;
  }, [run]);
}
