import { useQuery } from "@tanstack/react-query";
import { platformsQuery, type Platform } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { EmptyState } from "../ui/EmptyState.tsx";
import { List } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { ConnectionRow } from "./ConnectionRow.tsx";
import { ConnectPlatformList } from "./ConnectPlatformList.tsx";

/** The studio's accounts on social platforms, and the platforms it can connect. */
export function PlatformsPage() {
  const { studio, may } = useStudio();
  const platforms = useQuery(platformsQuery(studio.id));
  const supportedPlatforms = platforms.data?.platforms ?? [];
  const connections = platforms.data?.connections ?? [];
  const activeConnections = connections.filter(({ state }) => state !== "disconnected");
  const disconnectedConnections = connections.filter(({ state }) => state === "disconnected");
  const findPlatform = (id: string): Platform | undefined =>
    supportedPlatforms.find((candidate) => candidate.id === id);

  return (
    <>
      <PageHeader title="Platforms">
        The studio’s accounts on social platforms. We check each post against their rules.{" "}
        {!may("platforms.connect") && "Owners and admins can connect and disconnect accounts."}
      </PageHeader>
      <QueryStatus query={platforms} />
      {platforms.isSuccess && activeConnections.length === 0 && (
        <EmptyState title="No accounts connected">
          {may("platforms.connect")
            ? "Connect one below. You grant access on the platform itself and can disconnect it here at any time."
            : "Ask an owner or admin to connect one."}
        </EmptyState>
      )}
      {activeConnections.length > 0 && (
        <List aria-label="Connected accounts">
          {activeConnections.map((connection) => (
            <ConnectionRow key={connection.id} connection={connection} platform={findPlatform(connection.platform)} />
          ))}
        </List>
      )}
      {platforms.isSuccess && may("platforms.connect") && <ConnectPlatformList platforms={supportedPlatforms} />}
      {disconnectedConnections.length > 0 && (
        <details className="mt-6">
          <summary className="cursor-pointer text-muted">Disconnected ({disconnectedConnections.length})</summary>
          <List className="mt-4" aria-label="Disconnected accounts">
            {disconnectedConnections.map((connection) => (
              <ConnectionRow key={connection.id} connection={connection} platform={findPlatform(connection.platform)} />
            ))}
          </List>
        </details>
      )}
    </>
  );
}
