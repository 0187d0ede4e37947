import { Link } from "@tanstack/react-router";
import type { AiClient } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useNow } from "../ui/use-now.ts";
import { findConnectionStep } from "./connection-step.ts";

const texts = {
  approved: "Approved. It is now fetching its token.",
  noToken:
    "Approved, but it has not fetched its token. Connect again in the client. If that does not help, a proxy or a bot filter probably blocks its requests.",
  token: "Approved, and it has its token. It has not made its first call yet.",
  unusedToken:
    "Approved, and it has its token, but it has not used it. Usually, a proxy or a bot filter blocks its requests or removes the Authorization header.",
} as const;

/** How far a client came that has not made a call yet, and what to do if it does not get further. */
export function ConnectionProgress({ client }: { client: AiClient }) {
  const { studio } = useStudio();
  const step = useNow((now) => findConnectionStep(client, now));
  if (step === "") return null;
  return (
    <p className="order-4 col-span-full m-0 text-sm">
      {texts[step]}{" "}
      {(step === "noToken" || step === "unusedToken") && (
        <Link to="/studios/$studioId/settings" params={{ studioId: studio.id }} hash="connection">
          Check the connection
        </Link>
      )}
    </p>
  );
}
