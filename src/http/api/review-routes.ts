import { Hono } from "hono";
import {
  listReviewLinks,
  listReviewLinksInput,
  shareForReview,
  shareForReviewInput,
  withdrawReviewLink,
} from "#domain/reviews/review-links.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { noContent } from "./responses.ts";
import { validateJson, validateQuery } from "./validate-input.ts";

export function createReviewLinkRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/review-links", validateQuery(listReviewLinksInput), async (c) =>
      c.json(await listReviewLinks(deps, c.var.caller, c.req.valid("query"))),
    )
    .post("/review-links", validateJson(shareForReviewInput), async (c) =>
      c.json(await shareForReview(deps, c.var.caller, c.req.valid("json")), 201),
    )
    .delete("/review-links/:linkId", async (c) => noContent(c, withdrawReviewLink(deps, c.var.caller, c.req.param())));
}
