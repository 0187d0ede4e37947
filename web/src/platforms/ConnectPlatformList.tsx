import { useState } from "react";
import type { Platform } from "../api/queries.ts";
import { Button } from "../ui/Button.tsx";
import { Disclosure } from "../ui/Disclosure.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { List } from "../ui/List.tsx";
import { PlatformNotes } from "./PlatformNotes.tsx";
import { useConnect } from "./use-connect.ts";

/** The platforms that users can connect, and those that the operator has not set up. */
export function ConnectPlatformList({ platforms }: { platforms: readonly Platform[] }) {
  const configuredPlatforms = platforms.filter(({ configured }) => configured);
  const unconfiguredPlatforms = platforms.filter(({ configured }) => !configured);
  return (
    <section className="mt-8" aria-labelledby="connect-heading">
      <h2 id="connect-heading">Connect an account</h2>
      <List className="mt-4" aria-label="Platforms">
        {configuredPlatforms.map((platform) => (
          <ConnectPlatformForm key={platform.id} platform={platform} />
        ))}
      </List>
      {unconfiguredPlatforms.length > 0 && (
        <Disclosure className="mt-6" summary={`Not set up on this server (${unconfiguredPlatforms.length})`}>
          <List className="mt-4" aria-label="Platforms that are not set up">
            {unconfiguredPlatforms.map(({ id, name, hint, ...notes }) => (
              <li key={id} className="py-4">
                <p className="m-0 font-semibold">{name}</p>
                <PlatformNotes {...notes} />
                <p className="mt-0 text-muted [overflow-wrap:anywhere]">{hint}</p>
              </li>
            ))}
          </List>
        </Disclosure>
      )}
    </section>
  );
}

/** Suggested for Mastodon, which has no default server: the server that most people use. */
const commonInstanceUrl = "https://mastodon.social";

function ConnectPlatformForm({ platform }: { platform: Platform }) {
  const { id, name, needsInstanceUrl, defaultInstanceUrl } = platform;
  const hasInstances = needsInstanceUrl || defaultInstanceUrl !== undefined;
  const { connect, isRunning, error } = useConnect();
  const [serverInput, setServerInput] = useState(new URL(defaultInstanceUrl ?? commonInstanceUrl).host);
  return (
    <li className="py-4">
      <form
        className="flex flex-wrap items-center gap-x-6 gap-y-2"
        onSubmit={(event) => {
          event.preventDefault();
          void connect(id, hasInstances ? serverInput.trim() : undefined);
        }}
      >
        <div className={`min-w-0 flex-1 ${hasInstances ? "max-sm:basis-full" : ""}`}>
          <p className="m-0 font-semibold">{name}</p>
          {id === "sandbox" && (
            <p className="mt-0 text-muted">A practice platform on this server; nothing leaves it.</p>
          )}
          <PlatformNotes {...platform} />
        </div>
        <div className={`flex items-center gap-2 ${hasInstances ? "max-sm:w-full" : ""}`}>
          {hasInstances && (
            <label className="flex min-w-0 flex-1 items-center gap-2 text-sm font-normal text-muted">
              Server
              <input
                className="min-w-0 flex-1 text-base text-ink sm:w-64"
                aria-label={`${name} server`}
                inputMode="url"
                autoCapitalize="none"
                autoComplete="off"
                spellCheck={false}
                value={serverInput}
                onChange={(event) => setServerInput(event.target.value)}
                required
              />
            </label>
          )}
          <Button type="submit" variant="secondary" busyLabel={isRunning && "Opening…"} aria-label={`Connect ${name}`}>
            Connect
          </Button>
        </div>
      </form>
      {error !== undefined && <ErrorMessage error={error} />}
    </li>
  );
}
