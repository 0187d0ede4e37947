import { useSuspenseQuery } from "@tanstack/react-query";
import { meQuery, type Me } from "../api/queries.ts";
import { CenteredLayout } from "../layout/CenteredLayout.tsx";
import { ButtonAnchor } from "../ui/Button.tsx";
import { CopyField } from "../ui/CopyField.tsx";
import { DotSeparated } from "../ui/DotSeparated.tsx";
import { useDocumentTitle } from "../ui/PageHeader.tsx";
import { Section } from "../ui/Section.tsx";
import { Hero } from "./Hero.tsx";
import { StudioForm } from "./StudioForm.tsx";

/** The page for visitors who are not signed in, and for users without a studio. */
export function StartPage() {
  const { data: me } = useSuspenseQuery(meQuery);
  useDocumentTitle("");
  return <CenteredLayout isWide={!me}>{me ? <FirstStudio user={me.user} /> : <Welcome />}</CenteredLayout>;
}

function Welcome() {
  const mcpUrl = `${location.origin}/mcp`;
  return (
    <>
      <Hero
        isLarge
        title="Plan, approve and publish your team’s posts, with the help of AI clients."
        intro="Atelier holds the posts and media of a content studio, and publishes them to its accounts. People work in this web app, and AI clients such as Claude, ChatGPT or Cursor over MCP. Each client acts for the person who connected it, and can never do more than that person."
      >
        <p className="mt-6 mb-[clamp(3rem,8vw,6rem)]">
          <ButtonAnchor href="/login">Sign in</ButtonAnchor>
        </p>
      </Hero>
      <Section title="Connect an AI client">
        <CopyField label="MCP URL" text={mcpUrl} />
        <CopyField label="Claude Code" text={`claude mcp add --transport http atelier ${mcpUrl}`} />
      </Section>
    </>
  );
}

function FirstStudio({ user: { name, email } }: { user: Me["user"] }) {
  return (
    <Hero
      title="Create your first studio"
      intro={`Welcome, ${name}! A studio holds posts, media and the people who work on them. AI clients you connect act for you, and never have more access than you do.`}
    >
      <StudioForm isFirstStudio />
      <p className="mt-8 text-muted">Were you invited to a studio? Open your invitation link instead.</p>
      <p className="mt-2 text-muted">
        <DotSeparated
          parts={[
            `Signed in as ${email ?? name}`,
            <a key="switch" className="whitespace-nowrap" href="/login?switch=1">
              Use another account
            </a>,
          ]}
        />
      </p>
    </Hero>
  );
}
