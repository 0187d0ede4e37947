import { redirectTo, signOut } from "../api/client.ts";
import { Button } from "../ui/Button.tsx";
import { roleLabels } from "../ui/roles.ts";
import { useAction } from "../ui/use-action.ts";
import { useStudio } from "./use-studio.ts";

export function AccountPanel() {
  const { me, studio } = useStudio();
  const { isRunning, error, run } = useAction();
  const handleSignOut = () =>
    run(async () => {
      await signOut();
      await redirectTo("/");
    });

  return (
    <div className="mt-auto border-t border-rule pt-5">
      <p className="m-0 truncate" title={me.user.email ?? undefined}>
        {me.user.name}
      </p>
      <p className="m-0 text-sm text-muted">{roleLabels[studio.role]}</p>
      <Button
        variant="quiet"
        className="mt-3"
        onClick={() => void handleSignOut()}
        busyLabel={isRunning && "Signing out…"}
      >
        Sign out
      </Button>
      <p className="m-0 text-sm text-danger" role="status">
        {error !== undefined && "Couldn’t sign out. Try again."}
      </p>
    </div>
  );
}
