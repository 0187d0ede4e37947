import { useSearch } from "@tanstack/react-router";
import { redirectTo } from "../api/client.ts";
import { connectPlatform } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useAction } from "../ui/use-action.ts";

/** Creates a connect link and opens it. */
export function useConnect() {
  const { studio } = useStudio();
  // The page of a publication, where the account can be reconnected, has none of these parameters.
  const { post, at } = useSearch({ strict: false });
  const { isRunning, error, run } = useAction();
  const connect = (platform: string, instanceUrl?: string) =>
    run(async () => {
      const account = { platform, ...(instanceUrl === undefined ? {} : { instanceUrl }) };
      const { connectUrl } = await connectPlatform({ studioId: studio.id }, account);
      // The server's pages lead back to the post, also after the user was at the platform.
      const query =
        post !== undefined && new URLSearchParams({ studio: studio.id, post, ...(at !== undefined && { at }) });
      await redirectTo(query ? `${connectUrl}?${query.toString()}` : connectUrl);
    });
  return { connect, isRunning, error };
}
