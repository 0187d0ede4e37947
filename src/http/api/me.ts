import { Hono } from "hono";
import { describeMe } from "#domain/access/describe-me.ts";
import { setActiveStudio, setActiveStudioInput } from "#domain/access/set-active-studio.ts";
import { acceptInvitation } from "#domain/studios/accept-invitation.ts";
import { createStudio, createStudioInput } from "#domain/studios/create-studio.ts";
import type { ApiOptions, SignedInEnv } from "./context.ts";
import { validateJson } from "./input.ts";

/** What a person does outside any studio: see themselves, choose, found or join one. */
export function createMeRoutes({ deps, isDevelopment }: ApiOptions) {
  return new Hono<SignedInEnv>()
    .get("/me", async (c) => c.json(await describeMe(deps, c.var)))
    .get("/instance", (c) => c.json({ development: isDevelopment }))
    .put("/me/active-studio", validateJson(setActiveStudioInput), async (c) => {
      await setActiveStudio(deps, c.var, c.req.valid("json"));
      return c.body(null, 204);
    })
    .post("/studios", validateJson(createStudioInput), async (c) =>
      c.json(await createStudio(deps, c.var, c.req.valid("json")), 201),
    )
    .post("/invitations/:token/accept", async (c) =>
      c.json(await acceptInvitation(deps, c.var, { token: c.req.param("token") })),
    );
}
