import type { UseQueryResult } from "@tanstack/react-query";
import { ErrorMessage } from "./ErrorMessage.tsx";
import { Loading } from "./Loading.tsx";

/** Shows the loading state or the error of a query; renders nothing once it succeeds. */
export function QueryStatus({ query }: { query: Pick<UseQueryResult, "isPending" | "isError" | "error" | "refetch"> }) {
  if (query.isPending) return <Loading />;
  return query.isError && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />;
}
