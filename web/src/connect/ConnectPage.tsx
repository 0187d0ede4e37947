import * as Tabs from "@radix-ui/react-tabs";
import { useStudio } from "../layout/use-studio.ts";
import { CopyField } from "../ui/CopyField.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
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
        Use this URL in any client that supports MCP. No API key needed: the client opens a page here where you sign in
        and approve it.
      </PageHeader>
      <CopyField label="MCP URL" text={mcpUrl} />
      <NewClientStatus />
      <Tabs.Root defaultValue={defaultGuide?.name ?? ""} className="mt-10">
        <Tabs.List className="tabs" aria-label="Client">
          {guides.map(({ name }) => (
            <Tabs.Trigger
              key={name}
              value={name}
              className="bare"
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
              <p className="notice mt-0">
                {guide.name} connects from its own servers, which can’t reach this computer. Use Claude Code, Cursor, VS
                Code or Codex instead, or run Atelier at a public HTTPS URL.
              </p>
            )}
            <Steps guide={guide} />
          </Tabs.Content>
        ))}
      </Tabs.Root>
      <section className="entry mt-14" aria-labelledby="expect">
        <h2 id="expect">What to expect</h2>
        <ul className="grid max-w-[60ch] gap-3 pl-0">
          <li>
            It works in <strong>{activeStudioName}</strong>, your active studio, until it reconnects.
          </li>
          <li>It acts as you, within your role. You can limit it to viewing when you approve it.</li>
          <li>Its changes appear in the studio’s activity with your name and the client’s.</li>
          <li>It stays connected after you sign out. To disconnect it, revoke it under AI clients.</li>
        </ul>
      </section>
    </>
  );
}

function Steps({ guide }: { guide: Guide }) {
  return (
    <ol className="steps">
      {guide.steps.map(({ text, copy, open }) => (
        <li key={text}>
          <p className="m-0">{text}</p>
          {open && (
            <p className="mt-2">
              <a className="button secondary" href={open.href}>
                {open.label}
              </a>
            </p>
          )}
          {copy && <CopyField label={copy.label} text={copy.text} hideLabel />}
        </li>
      ))}
    </ol>
  );
}
