import { useQuery } from "@tanstack/react-query";
import { platformsQuery } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { Empty } from "../ui/Empty.tsx";
import { PageHead } from "../ui/PageHead.tsx";
import { QueryState } from "../ui/QueryState.tsx";
import { ConnectionRow } from "./ConnectionRow.tsx";
import { ConnectChoices } from "./ConnectChoices.tsx";

/** The studio's accounts on social platforms, and what else could be connected. */
export function PlatformsPage() {
  const { studio, may } = useStudio();
  const platforms = useQuery(platformsQuery(studio.id));
  const known = platforms.data?.platforms ?? [];
  const all = platforms.data?.connections ?? [];
  const live = all.filter(({ state }) => state !== "disconnected");
  const ended = all.filter(({ state }) => state === "disconnected");
  const nameOf = (id: string): string => known.find((one) => one.id === id)?.name ?? id;

  return (
    <>
      <PageHead title="Platforms">
        The studio’s accounts on social platforms. Every post shows what each of them would refuse.{" "}
        {!may("platforms.connect") && "Owners and admins connect and disconnect them."}
      </PageHead>
      <QueryState of={platforms} />
      {platforms.isSuccess && live.length === 0 && (
        <Empty title="No account is connected">
          <p className="text-muted">
            {may("platforms.connect")
              ? "Connect one below. You give access at the platform itself, and can take it back here at any time."
              : "An owner or admin can connect one."}
          </p>
        </Empty>
      )}
      {live.length > 0 && (
        <ul className="rows" aria-label="Connected accounts">
          {live.map((connection) => (
            <ConnectionRow key={connection.id} connection={connection} name={nameOf(connection.platform)} />
          ))}
        </ul>
      )}
      {platforms.isSuccess && may("platforms.connect") && <ConnectChoices platforms={known} />}
      {ended.length > 0 && (
        <details className="mt-12">
          <summary className="cursor-pointer text-muted">Disconnected ({ended.length})</summary>
          <ul className="rows mt-4" aria-label="Disconnected accounts">
            {ended.map((connection) => (
              <ConnectionRow key={connection.id} connection={connection} name={nameOf(connection.platform)} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
