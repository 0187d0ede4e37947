import { redirectTo } from "../api/client.ts";
import { connectPlatform } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useAction } from "../ui/use-action.ts";

/** Creates a connect link and opens it. */
export function useConnect() {
  const { studio } = useStudio();
  const { isRunning, error, run } = useAction();
  const connect = (platform: string, instanceUrl?: string) =>
    run(async () => {
      const { connectUrl } = await connectPlatform(studio.id, {
        platform,
        ...(instanceUrl === undefined ? {} : { instanceUrl }),
      });
      await redirectTo(connectUrl);
    });
  return { connect, isRunning, error };
}
