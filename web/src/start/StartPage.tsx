import { useSuspenseQuery } from "@tanstack/react-query";
import { meQuery } from "../api/queries.ts";
import { Brand } from "../frame/Brand.tsx";
import { CopyField } from "../ui/CopyField.tsx";
import { useDocumentTitle } from "../ui/PageHeader.tsx";
import { StudioForm } from "./StudioForm.tsx";

/** Whoever has no studio to go to: nobody signed in, or someone new. */
export function StartPage() {
  const { data: me } = useSuspenseQuery(meQuery);
  useDocumentTitle("");
  return (
    <main id="main" className="catalogue">
      <Brand />
      {me ? <FirstStudio name={me.user.name} /> : <Welcome />}
    </main>
  );
}

function Welcome() {
  const mcpUrl = `${location.origin}/mcp`;
  return (
    <>
      <section className="lead">
        <h1>A studio’s posts and media, open to the AI clients you approve.</h1>
        <p className="intro">
          Atelier keeps what a content studio works on and lets clients such as Claude, ChatGPT or Cursor work on it
          over MCP. Each client acts for one person who approved it, and can never do more than that person can do here.
        </p>
        <p>
          <a className="button" href="/login">
            Sign in
          </a>
        </p>
      </section>
      <section className="entry" aria-labelledby="connect">
        <h2 id="connect">Connect a client</h2>
        <div>
          <CopyField label="MCP address" text={mcpUrl} />
          <CopyField label="Claude Code" text={`claude mcp add --transport http atelier ${mcpUrl}`} />
        </div>
      </section>
    </>
  );
}

function FirstStudio({ name }: { name: string }) {
  return (
    <section className="lead">
      <h1>Create your first studio</h1>
      <p className="intro">
        Welcome, {name}! A studio holds posts and media, and the people who work on them. AI clients you connect will
        work in it, for you, and never with more rights than you have.
      </p>
      <StudioForm offerSamples />
      <p className="mt-8 text-muted">Were you invited to a studio? Open the invitation link you were sent instead.</p>
    </section>
  );
}
