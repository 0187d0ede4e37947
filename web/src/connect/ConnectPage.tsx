import * as Tabs from "@radix-ui/react-tabs";
import { useStudio } from "../frame/use-studio.ts";
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
      <PageHeader title="Connect an assistant">
        One address for every client that speaks MCP. There is no key to copy: the client sends you here to sign in and
        approve it.
      </PageHeader>
      <CopyField label="MCP address" text={mcpUrl} />
      <NewClientStatus />
      <Tabs.Root defaultValue={defaultGuide?.name ?? ""} className="mt-10">
        <Tabs.List className="tabs" aria-label="Client">
          {guides.map(({ name }) => (
            <Tabs.Trigger
              key={name}
              value={name}
              className="bare"
              // Radix moves the focus by script, which browsers take for the keyboard's doing and draw a ring.
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
                {guide.name} connects from its own servers, which cannot reach an address on this computer. Use Claude
                Code, Cursor, VS Code or Codex here, or run Atelier at a public https address.
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
            It will work in <strong>{activeStudioName}</strong>, your active studio, and stays there until it
            reconnects.
          </li>
          <li>It acts as you, within your role. On the approval page you can let it view only.</li>
          <li>What it does is in the studio’s activity under your name and its own.</li>
          <li>It stays connected after you sign out here. Cut it off under AI clients.</li>
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
