import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { Button } from "./Button.tsx";

type Paged = Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;

/** Below a list that has another page. */
export function ShowMore({ of: query, label = "Show more" }: { of: Paged; label?: string }) {
  return (
    query.hasNextPage && (
      <p className="mt-8">
        <Button
          variant="quiet"
          onClick={() => void query.fetchNextPage()}
          busyLabel={query.isFetchingNextPage && "Loading…"}
        >
          {label}
        </Button>
      </p>
    )
  );
}
