import { Link } from "@tanstack/react-router";
import { useStudio } from "../layout/use-studio.ts";

/** Shown in place of the accounts of a studio that has none. */
export function NoAccounts() {
  const { studio, may } = useStudio();
  return (
    <p className="mt-0 text-muted">
      No account to publish to.{" "}
      {may("platforms.connect") ? (
        <>
          Connect one on the{" "}
          <Link to="/studios/$studioId/platforms" params={{ studioId: studio.id }}>
            Platforms page
          </Link>
          .
        </>
      ) : (
        "Ask an owner or admin to connect one."
      )}
    </p>
  );
}
