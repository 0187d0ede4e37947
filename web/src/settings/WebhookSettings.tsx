import { Link } from "@tanstack/react-router";
import { useStudio } from "../layout/use-studio.ts";
import { Section } from "../ui/Section.tsx";

export function WebhookSettings() {
  const { studio } = useStudio();
  return (
    <Section title="Webhooks">
      <p className="m-0 text-muted">Tell other servers what happens in this studio.</p>
      <p className="mt-2">
        <Link to="/studios/$studioId/settings/webhooks" params={{ studioId: studio.id }}>
          Manage webhooks
        </Link>
      </p>
    </Section>
  );
}
