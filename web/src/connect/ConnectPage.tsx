import * as Tabs from "@radix-ui/react-tabs";
import type { ReactNode } from "react";
import { useStudio } from "../layout/use-studio.ts";
import { ButtonAnchor } from "../ui/Button.tsx";
import { CopyField } from "../ui/CopyField.tsx";
import { Notice } from "../ui/Notice.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { Section } from "../ui/Section.tsx";
import { tabClasses, tabListClasses } from "../ui/Tabs.tsx";
import { createGuides, type Guide } from "./guides.ts";
import { NewClientStatus } from "./NewClientStatus.tsx";

export function ConnectPage() {
  const { studio, me } = useStudio();
  const mcpUrl = `${location.origin}/mcp`;
  const guides = createGuides(mcpUrl);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  const defaultGuide = guides.find(({ isRemote }) => !(isRemote && isLocal));
  const activeStudioName =
    me.memberships.find(({ studioId }) => studioId === me.activeStudioId)?.studioName ?? studio.name;
  return (
    <>
      <PageHeader title="Connect an AI client">
        Use this URL in any client that supports MCP. You don’t need an API key: the client opens a page here where you
        sign in and approve it.
      </PageHeader>
      <CopyField label="MCP URL" text={mcpUrl} />
      <NewClientStatus />
      <Tabs.Root defaultValue={defaultGuide?.name ?? ""} className="mt-10">
        <Tabs.List className={tabListClasses} aria-label="Client">
          {guides.map(({ name }) => (
            <Tabs.Trigger
              key={name}
              value={name}
              className={tabClasses}
              // Radix moves focus by script, so browsers would show the focus ring after a click too.
              onMouseDown={({ currentTarget }) => currentTarget.focus({ focusVisible: false })}
            >
              {name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {guides.map((guide) => (
          <Tabs.Content key={guide.name} value={guide.name} className="mt-6">
            {guide.isRemote && isLocal && (
              <Notice>
                {guide.name} connects from its own servers, which can’t reach this computer. Use Claude Code, Cursor, VS
                Code or Codex instead, or run Atelier at a public HTTPS URL.
              </Notice>
            )}
            <Steps guide={guide} />
          </Tabs.Content>
        ))}
      </Tabs.Root>
      <Section title="What to expect" className="mt-14">
        <ul className="grid max-w-[60ch] gap-3">
          <li>
            The client works in <strong>{activeStudioName}</strong>, your active studio. To move it, switch studios and
            reconnect the client.
          </li>
          <li>It acts as you, within your role. To limit it, choose “View only” when you approve it.</li>
          <li>Its changes appear in the studio’s activity with your name and the client’s.</li>
          <li>It stays connected after you sign out. To disconnect it, revoke it under AI clients.</li>
        </ul>
      </Section>
    </>
  );
}

/** Renders the parts in backticks as code. */
const renderCode = (text: string): ReactNode[] =>
  text.split("`").map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>));

function Steps({ guide }: { guide: Guide }) {
  return (
    <ol className="grid max-w-[44rem] gap-6">
      {guide.steps.map(({ text, copy, open }, i) => (
        <li key={text} className="flex gap-4">
          <span aria-hidden="true" className="w-4 flex-none font-serif text-xl text-accent">
            {i + 1}
          </span>
          <div className="min-w-0 flex-1">
            <p className="m-0">{renderCode(text)}</p>
            {open && (
              <p className="mt-2">
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
