import type { HttpBindings } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import type { CallLimitCheck } from "#domain/access/call-limiter.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { describeReview } from "#domain/reviews/describe-review.ts";
import {
  addGuestComment,
  decide,
  decideInput,
  type Guest,
  guestCommentInput,
  resolveGuest,
} from "#domain/reviews/guest.ts";
import type { Log } from "#lib/log.ts";
import { assertRouteExists, createErrorHandler, type ReadAuthority } from "../api/context.ts";
import { validateJson } from "../api/validate-input.ts";
import { routeNotFoundError } from "../problem.ts";

export interface ReviewEnv {
  Bindings: HttpBindings;
  Variables: ReadAuthority & { guest: Guest };
}

/** The review page's JSON API. The link's token, sent in a header, is the only credential; cookies are ignored. */
export type ReviewApi = ReturnType<typeof createReviewApi>;

export function createReviewApi(deps: Deps, checkCallLimit: CallLimitCheck, log: Log) {
  const handleError = createErrorHandler(log);
  return new Hono<ReviewEnv>()
    .basePath("/api/reviews")
    .use(requireReviewLink(deps, checkCallLimit))
    .onError(handleError)
    .notFound((c) => handleError(routeNotFoundError(), c))
    .get("/session", async (c) => c.json(await describeReview(deps, c.var.guest)))
    .post("/decisions", validateJson(decideInput), async (c) =>
      c.json(await decide(deps, c.var.guest, c.req.valid("json"))),
    )
    .post("/comments", validateJson(guestCommentInput), async (c) =>
      c.json(await addGuestComment(deps, c.var.guest, c.req.valid("json")), 201),
    );
}

/** Resolves the review link from the token and enforces its rate limit. */
function requireReviewLink(deps: Deps, checkCallLimit: CallLimitCheck): MiddlewareHandler<ReviewEnv> {
  return async (c, next) => {
    c.header("cache-control", "no-store");
    assertRouteExists(c);
    const readAuthority = async (): Promise<void> =>
      c.set("guest", await resolveGuest(deps, c.req.header("review-token") ?? ""));
    await readAuthority();
    checkCallLimit(c.var.guest.link.id);
    c.set("readAuthority", readAuthority);
    await next();
  };
}
