import { continuePublication } from "../api/mutations.ts";
import type { PublicationDetail } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Notice } from "../ui/Notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { mayPublishWithoutApproval } from "./may-publish-without-approval.ts";

/** Says which parts of a published thread are missing, and sends them, as they were approved. */
export function ContinueThread({ publication: { id, problem } }: { publication: PublicationDetail }) {
  const { studio, may } = useStudio();
  const { isRunning, error, run } = useAction();
  const canContinue = may("publications.approve") && mayPublishWithoutApproval(studio);
  const sendRest = () => run(() => continuePublication({ studioId: studio.id, publicationId: id }));
  return (
    <>
      <Notice
        tone="warning"
        {...(canContinue && {
          action: (
            <Button variant="primary" busyLabel={isRunning && "Sending…"} onClick={() => void sendRest()}>
              Continue
            </Button>
          ),
        })}
      >
        {problem?.message} {canContinue ? "Continue sends only the missing parts." : "An owner or admin can continue."}
      </Notice>
      {error !== undefined && <ErrorMessage error={error} />}
    </>
  );
}
