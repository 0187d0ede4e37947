import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { Button } from "./Button.tsx";

type PagedQuery = Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;

/** Loads the next page of a list; renders nothing if there is none. */
export function ShowMore({ query, label = "Show more" }: { query: PagedQuery; label?: string }) {
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
