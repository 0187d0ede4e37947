import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { Button } from "./Button.tsx";

type Paged = Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;

/** Below a list that has another page. */
export function ShowMore({ of, label = "Show more" }: { of: Paged; label?: string }) {
  return (
    of.hasNextPage && (
      <p className="mt-8">
        <Button look="quiet" onClick={() => void of.fetchNextPage()} busy={of.isFetchingNextPage && "Loading…"}>
          {label}
        </Button>
      </p>
    )
  );
}
