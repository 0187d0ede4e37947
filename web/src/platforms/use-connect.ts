import { useState } from "react";
import { connectPlatform } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";

/** Requests the URL of the page that connects an account, and opens it. */
export function useConnect(): {
  connect: (platform: string, instanceUrl?: string) => Promise<void>;
  busy: boolean;
  error: unknown;
} {
  const { studio } = useStudio();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  async function connect(platform: string, instanceUrl?: string): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const response = await connectPlatform(studio.id, {
        platform,
        ...(instanceUrl === undefined ? {} : { instanceUrl }),
      });
      location.assign(response.connectUrl);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }
  return { connect, busy, error };
}
