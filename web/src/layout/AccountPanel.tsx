import { useState } from "react";
import { signOut } from "../api/client.ts";
import { Button } from "../ui/Button.tsx";
import { useStudio } from "./use-studio.ts";

export function AccountPanel() {
  const { me, studio } = useStudio();
  const [busy, setBusy] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);

  async function handleSignOut(): Promise<void> {
    setBusy(true);
    try {
      await signOut();
      location.assign("/");
    } catch {
      setHasFailed(true);
      setBusy(false);
    }
  }

  return (
    <div className="person">
      <p className="m-0 truncate" title={me.user.email ?? undefined}>
        {me.user.name}
      </p>
      <p className="m-0 text-sm text-muted">{studio.role}</p>
      <Button variant="quiet" className="mt-3" onClick={() => void handleSignOut()} busyLabel={busy && "Signing out…"}>
        Sign out
      </Button>
      <p className="m-0 text-sm text-danger" role="status">
        {hasFailed && "Couldn’t sign out. Try again."}
      </p>
    </div>
  );
}
