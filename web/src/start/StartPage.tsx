import { useSuspenseQuery } from "@tanstack/react-query";
import { meQuery } from "../api/queries.ts";
import { Brand } from "../layout/Brand.tsx";
import { CopyField } from "../ui/CopyField.tsx";
import { useDocumentTitle } from "../ui/PageHeader.tsx";
import { StudioForm } from "./StudioForm.tsx";

/** The page for visitors who are not signed in, and for users without a studio. */
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
          Atelier stores a content studio’s posts and media, and lets AI clients such as Claude, ChatGPT or Cursor work
          on them over MCP. Each client acts for the person who approved it, and can never do more than that person.
        </p>
        <p>
          <a className="button" href="/login">
            Sign in
          </a>
        </p>
      </section>
      <section className="entry" aria-labelledby="connect">
        <h2 id="connect">Connect an AI client</h2>
        <div>
          <CopyField label="MCP URL" text={mcpUrl} />
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
        Welcome, {name}! A studio holds posts, media and the people who work on them. AI clients you connect act for
        you, and never have more access than you do.
      </p>
      <StudioForm offerSamples />
      <p className="mt-8 text-muted">Were you invited to a studio? Open your invitation link instead.</p>
    </section>
  );
}
