import { Hono } from "hono";
import {
  approvePost,
  approvePostInput,
  approvePublication,
  approvePublicationInput,
  unapprovePublication,
} from "#domain/publishing/approve-publications.ts";
import {
  cancelPublication,
  continuePublication,
  reschedulePublication,
  reschedulePublicationInput,
  resolvePublication,
  resolvePublicationInput,
  sendBackPublication,
} from "#domain/publishing/change-publication.ts";
import {
  countPublications,
  countPublicationsInput,
  listWebPublications,
  listWebPublicationsInput,
} from "#domain/publishing/list-publications.ts";
import { createCalendarFeed, listCalendarFeeds, revokeCalendarFeed } from "#domain/publishing/calendar-feeds.ts";
import { getPublicationDetail } from "#domain/publishing/get-publication-detail.ts";
import { listCalendar, listCalendarInput } from "#domain/publishing/list-calendar.ts";
import { publishPost, publishPostWebInput } from "#domain/publishing/publish-post.ts";
import { compareResults, compareResultsInput } from "#domain/publishing/compare-results.ts";
import { listResults, refreshResults } from "#domain/publishing/results.ts";
import { getSlots, setSlots, setSlotsInput } from "#domain/publishing/slots.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { jsonWithEtag, noContent } from "./responses.ts";
import { validateJson, validateQuery } from "./validate-input.ts";

const publishBody = publishPostWebInput.omit({ postId: true, idempotencyKey: true });
const approveBody = approvePublicationInput.omit({ publicationId: true });
const approvePostBody = approvePostInput.omit({ postId: true });
const rescheduleBody = reschedulePublicationInput.omit({ publicationId: true });

export function createPublicationRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .post("/posts/:postId/publications", validateJson(publishBody), async (c) =>
      c.json(await publishPost(deps, c.var.caller, { ...c.req.valid("json"), postId: c.req.param("postId") }), 201),
    )
    .get("/publications", validateQuery(listWebPublicationsInput), async (c) =>
      c.json(await listWebPublications(deps, c.var.caller, c.req.valid("query"))),
    )
    .get("/publications/counts", validateQuery(countPublicationsInput), async (c) =>
      c.json(await countPublications(deps, c.var.caller, c.req.valid("query"))),
    )
    .get("/calendar", validateQuery(listCalendarInput), async (c) =>
      jsonWithEtag(c, await listCalendar(deps, c.var.caller, c.req.valid("query"))),
    )
    .get("/calendar-feeds", async (c) => c.json(await listCalendarFeeds(deps, c.var.caller)))
    .post("/calendar-feeds", async (c) => c.json(await createCalendarFeed(deps, c.var.caller), 201))
    .delete("/calendar-feeds", async (c) => noContent(c, revokeCalendarFeed(deps, c.var.caller)))
    .get("/slots", async (c) => c.json(await getSlots(deps, c.var.caller)))
    .put("/slots", validateJson(setSlotsInput), async (c) =>
      c.json(await setSlots(deps, c.var.caller, c.req.valid("json"))),
    )
    .get("/results", validateQuery(compareResultsInput), async (c) =>
      c.json(await compareResults(deps, c.var.caller, c.req.valid("query"))),
    )
    .get("/publications/:publicationId", async (c) =>
      c.json(await getPublicationDetail(deps, c.var.caller, c.req.param())),
    )
    .get("/publications/:publicationId/results", async (c) =>
      c.json(await listResults(deps, c.var.caller, c.req.param())),
    )
    .post("/publications/:publicationId/results/refresh", async (c) =>
      c.json(await refreshResults(deps, c.var.caller, c.req.param())),
    )
    .post("/publications/:publicationId/approve", validateJson(approveBody), async (c) =>
      c.json(await approvePublication(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    )
    .post("/publications/:publicationId/unapprove", async (c) =>
      c.json(await unapprovePublication(deps, c.var.caller, c.req.param())),
    )
    .post("/posts/:postId/approve", validateJson(approvePostBody), async (c) =>
      c.json(await approvePost(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    )
    .post("/publications/:publicationId/cancel", async (c) =>
      c.json(await cancelPublication(deps, c.var.caller, c.req.param())),
    )
    .post("/publications/:publicationId/send-back", async (c) =>
      c.json(await sendBackPublication(deps, c.var.caller, c.req.param())),
    )
    .post("/publications/:publicationId/reschedule", validateJson(rescheduleBody), async (c) =>
      c.json(await reschedulePublication(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    )
    .post("/publications/:publicationId/continue", async (c) =>
      c.json(await continuePublication(deps, c.var.caller, c.req.param())),
    )
    .post("/publications/:publicationId/resolve", validateJson(resolvePublicationInput), async (c) =>
      c.json(await resolvePublication(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    );
}
