import {
  cancelPublication,
  cancelPublicationInput,
  cancelPublicationOutput,
} from "#domain/publishing/change-publication.ts";
import { defineTool } from "../define-tool.ts";

export const cancelPublicationTool = defineTool({
  name: "cancel_publication",
  title: "Cancel a publication",
  description:
    "Cancel a proposed, scheduled or missed publication. If it has started, the call fails with too_late and the publication continues.",
  action: "publications.request",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: cancelPublicationInput,
  output: cancelPublicationOutput,
  async run(deps, caller, input) {
    const { id } = await cancelPublication(deps, caller, input);
    return { canceled: id };
  },
});
