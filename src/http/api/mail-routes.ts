import { Hono } from "hono";
import { getMailSettings, sendTestMail, setMailFrequencies } from "#domain/mail/mail-settings.ts";
import { frequenciesInput } from "#domain/model/mail.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { jsonWithEtag, noContent } from "./responses.ts";
import { validateJson } from "./validate-input.ts";

/** Which emails the user gets about a studio, and whether emails are sent at all. */
export function createMailRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/email", async (c) => jsonWithEtag(c, await getMailSettings(deps, c.var.caller)))
    .patch("/email", validateJson(frequenciesInput), async (c) =>
      noContent(c, setMailFrequencies(deps, c.var.caller, c.req.valid("json"))),
    )
    .post("/email/test", async (c) => noContent(c, sendTestMail(deps, c.var.caller)));
}
