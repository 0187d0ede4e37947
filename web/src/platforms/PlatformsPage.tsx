import { useQuery } from "@tanstack/react-query";
import { platformsQuery, type Platform } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Disclosure } from "../ui/Disclosure.tsx";
import { List } from "../ui/List.tsx";
import { Notice } from "../ui/Notice.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { ConnectionRow } from "./ConnectionRow.tsx";
import { ConnectPlatformList } from "./ConnectPlatformList.tsx";
import { describeUnreachableMedia } from "./describe-unreachable-media.ts";
import { PostReturnLink } from "./PostReturnLink.tsx";

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
  const mediaWarning = describeUnreachableMedia(
    supportedPlatforms.filter(({ id }) =>
      connections.some(({ state, platform }) => state === "connected" && platform === id),
    ),
  );

  return (
    <>
      <PostReturnLink />
      <PageHeader title="Platforms">
        The studio’s accounts on social platforms. We check each post against their rules.{" "}
        {!may("platforms.connect") && "Owners and admins can connect and disconnect accounts."}
      </PageHeader>
      <QueryStatus query={platforms} />
      {platforms.isSuccess && activeConnections.length === 0 && (
        <p className="text-muted">
          No accounts connected yet. {may("platforms.connect") ? "Connect" : "Ask an owner or admin to connect"} one to
          preview, schedule and publish posts there.
        </p>
      )}
      {mediaWarning !== undefined && <Notice tone="warning">{mediaWarning}</Notice>}
      {activeConnections.length > 0 && (
        <List aria-label="Connected accounts">
          {activeConnections.map((connection) => (
            <ConnectionRow key={connection.id} connection={connection} platform={findPlatform(connection.platform)} />
          ))}
        </List>
      )}
      {platforms.isSuccess && may("platforms.connect") && <ConnectPlatformList platforms={supportedPlatforms} />}
      {disconnectedConnections.length > 0 && (
        <Disclosure className="mt-6" summary={`Disconnected (${disconnectedConnections.length})`}>
          <List className="mt-4" aria-label="Disconnected accounts">
            {disconnectedConnections.map((connection) => (
              <ConnectionRow key={connection.id} connection={connection} platform={findPlatform(connection.platform)} />
            ))}
          </List>
        </Disclosure>
      )}
    </>
  );
}
