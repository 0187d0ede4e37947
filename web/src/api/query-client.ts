import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/** Everything that the page has read from the server. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Client errors (4xx) are final; only network and server errors are worth a retry.
      retry: (failureCount, error) =>
        failureCount < 2 && !(error instanceof ApiError && error.status > 0 && error.status < 500),
      staleTime: 1000,
      refetchOnWindowFocus: "always",
    },
  },
});
