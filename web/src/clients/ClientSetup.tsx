import { useLocation } from "@tanstack/react-router";
import { Tabs } from "radix-ui";
import { useEffect, useRef, type ReactNode } from "react";
import type { AiClient } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { ButtonAnchor } from "../ui/Button.tsx";
import { CopyField } from "../ui/CopyField.tsx";
import { Notice } from "../ui/Notice.tsx";
import { tabClasses, tabListClasses } from "../ui/tab-classes.ts";
import { ConnectionStatus } from "./ConnectionStatus.tsx";
import { createGuides, createOtherGuides, type Guide } from "./guides.ts";

/** The hash of the page's URL that scrolls to the setup instructions. */
export const setupHash = "connect";

const otherTab = "Other";
/** Part of ids, which a space would end. */
const toTabValue = (name: string): string => name.replaceAll(" ", "-");

/** How to connect a client. `clients` are the connected ones; undefined while they load. */
export function ClientSetup({
  clients,
  isFirst,
}: {
  clients: readonly AiClient[] | undefined;
  /** Whether no client was ever connected. */
  isFirst: boolean;
}) {
  const mcpUrl = `${location.origin}/mcp`;
  const guides = createGuides(mcpUrl);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  const defaultGuide = guides.find(({ isRemote }) => !(isRemote && isLocal));
  const heading = useScrollOnHash(clients !== undefined);
  return (
    <section aria-labelledby={setupHash} className="mt-10">
      <h2 id={setupHash} ref={heading} tabIndex={-1} className="scroll-mt-6 text-xl">
        {isFirst ? "Connect your first AI client" : "Connect an AI client"}
      </h2>
      <p className="mt-1 mb-4 max-w-[70ch] text-muted">
        Use this URL in any client that supports MCP. You don’t need an API key: the client opens a page here where you
        sign in and approve it.
      </p>
      <CopyField label="MCP URL" text={mcpUrl} />
      <ConnectionStatus clients={clients} />
      <Tabs.Root defaultValue={toTabValue(defaultGuide?.name ?? otherTab)} className="mt-6">
        <Tabs.List className={`${tabListClasses} border-b border-rule pb-2`} aria-label="Client">
          {[...guides.map(({ name }) => name), otherTab].map((name) => (
            <Tabs.Trigger
              key={name}
              value={toTabValue(name)}
              className={tabClasses}
              // Radix moves focus by script, so browsers would show the focus ring after a click too.
              onMouseDown={({ currentTarget }) => currentTarget.focus({ focusVisible: false })}
            >
              {name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {guides.map((guide) => (
          <Tabs.Content key={guide.name} value={toTabValue(guide.name)} className="mt-5">
            {guide.isRemote && isLocal && (
              <Notice>
                {guide.name} connects from its own servers, which can’t reach this computer. Use Claude Code, Cursor, VS
                Code or Codex instead, or run Atelier at a public HTTPS URL.
              </Notice>
            )}
            <Steps guide={guide} />
          </Tabs.Content>
        ))}
        <Tabs.Content value={otherTab} className="mt-5 grid gap-8">
          {createOtherGuides(mcpUrl).map((guide) => (
            <div key={guide.name}>
              <h3 className="mb-3">{guide.name}</h3>
              <Steps guide={guide} />
            </div>
          ))}
        </Tabs.Content>
      </Tabs.Root>
      <Expectations />
    </section>
  );
}

/** Scrolls to the heading when a link with its hash opens the page, once the list above it has loaded. */
function useScrollOnHash(isListLoaded: boolean) {
  const heading = useRef<HTMLHeadingElement>(null);
  /** Identifies the navigation to the hash; undefined if the URL has another hash, or none. */
  const navigationKey = useLocation({
    select: ({ hash, state }) => (hash === setupHash ? state.__TSR_key : undefined),
  });
  useEffect(() => {
    if (!isListLoaded || navigationKey === undefined) return;
    heading.current?.scrollIntoView();
    heading.current?.focus({ preventScroll: true });
  }, [isListLoaded, navigationKey]);
  return heading;
}

function Expectations() {
  const { studio, me } = useStudio();
  const activeStudioName =
    me.memberships.find(({ studioId }) => studioId === me.activeStudioId)?.studioName ?? studio.name;
  return (
    <div className="mt-10 rounded-lg bg-sunken px-5 py-4">
      <h3>What to expect</h3>
      <ul className="mt-2 grid max-w-[70ch] list-disc gap-1.5 pl-5 text-muted">
        <li>
          The client works in <strong className="text-ink">{activeStudioName}</strong>, your active studio. To move it,
          make another studio active and reconnect the client.
        </li>
        <li>It acts as you, within your role. To limit it, choose “View only” when you approve it.</li>
        <li>Its changes appear in the studio’s activity with your name and the client’s.</li>
        <li>
          It stays connected after you sign out. Its access ends after 30 days without use, and at the latest 90 days
          after you approve it. To end it sooner, revoke it on this page.
        </li>
      </ul>
    </div>
  );
}

/** Renders the parts in backticks as code. */
const renderCode = (text: string): ReactNode[] =>
  text.split("`").map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>));

function Steps({ guide }: { guide: Guide }) {
  return (
    <ol className="grid gap-5">
      {guide.steps.map(({ text, copy, open }, i) => (
        <li key={text} className="flex gap-3">
          <span
            aria-hidden="true"
            className="grid size-6 flex-none place-items-center rounded-full bg-wash text-sm font-semibold text-accent"
          >
            {i + 1}
          </span>
          <div className="min-w-0 flex-1">
            <p className="m-0 max-w-[70ch]">{renderCode(text)}</p>
            {open && (
              <p className="mt-2 mb-0">
                <ButtonAnchor variant="secondary" href={open.href}>
                  {open.label}
                </ButtonAnchor>
              </p>
            )}
            {copy && <CopyField label={copy.label} text={copy.text} isLabelHidden />}
          </div>
        </li>
      ))}
    </ol>
  );
}
