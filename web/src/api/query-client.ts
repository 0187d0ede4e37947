import { QueryClient } from "@tanstack/react-query";
import { isTemporary } from "./api-error.ts";

/** Everything that the page has read from the server. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failureCount, error) => failureCount < 2 && isTemporary(error),
      staleTime: 1000,
      refetchOnWindowFocus: "always",
    },
  },
});
