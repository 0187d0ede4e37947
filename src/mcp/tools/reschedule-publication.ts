import { reschedulePublication, reschedulePublicationInput } from "#domain/publishing/change-publication.ts";
import { publicationView } from "#domain/model/publication.ts";
import { defineTool } from "../define-tool.ts";

export const reschedulePublicationTool = defineTool({
  name: "reschedule_publication",
  title: "Reschedule a publication",
  description:
    "Change when a proposed, scheduled or missed publication starts. Unless you may publish without asking, a person has to approve the new time.",
  action: "publications.request",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: reschedulePublicationInput,
  output: publicationView,
  run: reschedulePublication,
});
