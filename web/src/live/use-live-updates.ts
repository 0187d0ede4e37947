import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError } from "../api/api-error.ts";
import { studioQuery } from "../api/queries.ts";
import { createLiveStream } from "./live-stream.ts";
import { cancelRefetches, createRefetcher } from "./refetcher.ts";

const isVisible = (): boolean => document.visibilityState === "visible";

/** Keeps everything that the page shows of the studio up to date. */
export function useLiveUpdates(studioId: string): void {
  const client = useQueryClient();
  useEffect(() => {
    const stream = createLiveStream({
      studioId,
      // Not available at http:// addresses other than localhost.
      locks: (navigator as Partial<Navigator>).locks,
      openChannel: (name) => new BroadcastChannel(name),
      openSource: (url) => new EventSource(url),
      isVisible,
      refetch: createRefetcher(client, studioId, isVisible),
      cancelRefetches: () => cancelRefetches(client, studioId),
      // If the session has ended, the request leads to the sign-in page.
      hasAccess: () =>
        client.query({ ...studioQuery(studioId), staleTime: 0 }).then(
          () => true,
          (error: unknown) => !(error instanceof ApiError && (error.status === 403 || error.status === 404)),
        ),
    });
    const handleVisibility = (): void => {
      if (isVisible()) stream.handleReturn();
    };
    document.addEventListener("visibilitychange", handleVisibility);
    addEventListener("online", stream.handleOnline);
    return () => {
      document.removeEventListener("visibilitychange", handleVisibility);
      removeEventListener("online", stream.handleOnline);
      stream.close();
    };
  }, [client, studioId]);
}
