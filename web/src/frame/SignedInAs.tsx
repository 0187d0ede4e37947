import { useState } from "react";
import { signOut } from "../api/client.ts";
import { Button } from "../ui/Button.tsx";
import { useStudio } from "./use-studio.ts";

export function SignedInAs() {
  const { me, studio } = useStudio();
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState(false);

  async function leave(): Promise<void> {
    setBusy(true);
    try {
      await signOut();
      location.assign("/");
    } catch {
      setFailed(true);
      setBusy(false);
    }
  }

  return (
    <div className="person">
      <p className="m-0 truncate" title={me.user.email ?? undefined}>
        {me.user.name}
      </p>
      <p className="m-0 text-sm text-muted">{studio.role}</p>
      <Button look="quiet" className="mt-3" onClick={() => void leave()} busy={busy && "Signing out…"}>
        Sign out
      </Button>
      <p className="m-0 text-sm text-danger" role="status">
        {failed && "That did not work. Try again."}
      </p>
    </div>
  );
}
