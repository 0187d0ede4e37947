import type { UseQueryResult } from "@tanstack/react-query";
import { Failure } from "./Failure.tsx";
import { Waiting } from "./Waiting.tsx";

/** What a page shows of a question that is not answered yet, or could not be; nothing once it is. */
export function QueryState({ of }: { of: Pick<UseQueryResult, "isPending" | "isError" | "error" | "refetch"> }) {
  if (of.isPending) return <Waiting />;
  return of.isError && <Failure error={of.error} onRetry={() => void of.refetch()} />;
}
