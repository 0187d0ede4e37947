import {
  listPublications,
  listPublicationsInput,
  listPublicationsOutput,
} from "#domain/publishing/list-publications.ts";
import { defineTool } from "../define-tool.ts";

export const listPublicationsTool = defineTool({
  name: "list_publications",
  title: "List publications",
  description:
    "List publications, newest first: what waits for approval, is scheduled, was published or failed. If one is unconfirmed, ask the user to check the account and decide in the web app; never publish it again yourself.",
  action: "publications.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: listPublicationsInput,
  output: listPublicationsOutput,
  run: listPublications,
});
