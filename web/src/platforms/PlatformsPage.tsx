import { useQuery } from "@tanstack/react-query";
import { platformsQuery } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { EmptyState } from "../ui/EmptyState.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { ConnectionRow } from "./ConnectionRow.tsx";
import { ConnectPlatformList } from "./ConnectPlatformList.tsx";

/** The studio's accounts on social platforms, and what else could be connected. */
export function PlatformsPage() {
  const { studio, may } = useStudio();
  const platforms = useQuery(platformsQuery(studio.id));
  const knownPlatforms = platforms.data?.platforms ?? [];
  const connections = platforms.data?.connections ?? [];
  const activeConnections = connections.filter(({ state }) => state !== "disconnected");
  const endedConnections = connections.filter(({ state }) => state === "disconnected");
  const getPlatformName = (id: string): string => knownPlatforms.find((candidate) => candidate.id === id)?.name ?? id;

  return (
    <>
      <PageHeader title="Platforms">
        The studio’s accounts on social platforms. Every post shows what each of them would refuse.{" "}
        {!may("platforms.connect") && "Owners and admins connect and disconnect them."}
      </PageHeader>
      <QueryStatus of={platforms} />
      {platforms.isSuccess && activeConnections.length === 0 && (
        <EmptyState title="No account is connected">
          <p className="text-muted">
            {may("platforms.connect")
              ? "Connect one below. You give access at the platform itself, and can take it back here at any time."
              : "An owner or admin can connect one."}
          </p>
        </EmptyState>
      )}
      {activeConnections.length > 0 && (
        <ul className="rows" aria-label="Connected accounts">
          {activeConnections.map((connection) => (
            <ConnectionRow key={connection.id} connection={connection} name={getPlatformName(connection.platform)} />
          ))}
        </ul>
      )}
      {platforms.isSuccess && may("platforms.connect") && <ConnectPlatformList platforms={knownPlatforms} />}
      {endedConnections.length > 0 && (
        <details className="mt-12">
          <summary className="cursor-pointer text-muted">Disconnected ({endedConnections.length})</summary>
          <ul className="rows mt-4" aria-label="Disconnected accounts">
            {endedConnections.map((connection) => (
              <ConnectionRow key={connection.id} connection={connection} name={getPlatformName(connection.platform)} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
