import { useStudio } from "../layout/use-studio.ts";
import { PageHeader } from "../ui/PageHeader.tsx";
import { ApprovalSettings } from "./ApprovalSettings.tsx";
import { CalendarFeedSettings } from "./CalendarFeedSettings.tsx";
import { ConnectionCheck } from "./ConnectionCheck.tsx";
import { DeleteStudio } from "./DeleteStudio.tsx";
import { EmailSettings } from "./EmailSettings.tsx";
import { SlotSettings } from "./SlotSettings.tsx";
import { StudioDetails } from "./StudioDetails.tsx";
import { WebhookSettings } from "./WebhookSettings.tsx";

export function SettingsPage() {
  const { studio, may } = useStudio();
  return (
    <>
      <PageHeader title="Settings" />
      {may("studio.update") ? (
        <>
          <StudioDetails key={studio.id} />
          <ApprovalSettings key={`approval ${studio.id}`} />
          <WebhookSettings />
        </>
      ) : (
        <p className="text-muted">Your role is {studio.role}. Ask an owner or admin to change these settings.</p>
      )}
      {may("slots.update") && <SlotSettings key={`slots ${studio.id}`} />}
      <EmailSettings key={`email ${studio.id}`} />
      <CalendarFeedSettings key={`feed ${studio.id}`} />
      <ConnectionCheck />
      {may("studio.delete") && <DeleteStudio />}
    </>
  );
}
