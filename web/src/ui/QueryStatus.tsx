import type { UseQueryResult } from "@tanstack/react-query";
import { ErrorMessage } from "./ErrorMessage.tsx";
import { Loading } from "./Loading.tsx";

/** What a page shows of a question that is not answered yet, or could not be; nothing once it is. */
export function QueryStatus({
  of: query,
}: {
  of: Pick<UseQueryResult, "isPending" | "isError" | "error" | "refetch">;
}) {
  if (query.isPending) return <Loading />;
  return query.isError && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />;
}
