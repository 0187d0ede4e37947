import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { clientsQuery } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { Empty } from "../ui/Empty.tsx";
import { Failure } from "../ui/Failure.tsx";
import { PageHead } from "../ui/PageHead.tsx";
import { Waiting } from "../ui/Waiting.tsx";
import { ClientRow } from "./ClientRow.tsx";
import { useRevoke } from "./use-revoke.tsx";

export function ClientsPage() {
  const { studio, me, may } = useStudio();
  const clients = useQuery(clientsQuery(studio.id));
  const { revokeAll } = useRevoke();
  const all = clients.data?.clients ?? [];
  const active = all.filter(({ revokedAt }) => revokedAt === null);
  const ended = all.filter(({ revokedAt }) => revokedAt !== null);
  const own = active.filter(({ user }) => user.id === me.user.id);

  return (
    <>
      <PageHead
        title="AI clients"
        actions={
          own.length > 1 && (
            <Button look="quiet" className="min-h-11" onClick={() => revokeAll(own)}>
              Revoke all of mine
            </Button>
          )
        }
      >
        {may("clients.listAll")
          ? "Every approval that acts in this studio, and all of your own wherever they act. A revoked client is refused at its next call."
          : "The clients you approved, wherever they act. A revoked client is refused at its next call."}{" "}
        Signing out here does not disconnect them.
      </PageHead>
      {clients.isPending && <Waiting />}
      {clients.isError && <Failure error={clients.error} onRetry={() => void clients.refetch()} />}
      {clients.isSuccess && active.length === 0 && (
        <Empty title="No assistant is connected">
          <p className="text-muted">
            Connect Claude, ChatGPT, Cursor or any other MCP client. You approve it once, choose what it may do, and can
            cut it off here at any time.
          </p>
          <p>
            <Link className="button" to="/studios/$studioId/connect" params={{ studioId: studio.id }}>
              Connect an assistant
            </Link>
          </p>
        </Empty>
      )}
      {active.length > 0 && (
        <ul className="rows" aria-label="Connected clients">
          {active.map((client) => (
            <ClientRow key={client.id} client={client} />
          ))}
        </ul>
      )}
      {ended.length > 0 && (
        <details className="mt-12">
          <summary className="cursor-pointer text-muted">Ended ({ended.length})</summary>
          <ul className="rows mt-4" aria-label="Ended approvals">
            {ended.map((client) => (
              <ClientRow key={client.id} client={client} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
