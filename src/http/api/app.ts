import { Hono, type MiddlewareHandler } from "hono";
import { enterStudio } from "#domain/studios/enter-studio.ts";
import { edgeError } from "#lib/errors.ts";
import { requireOwnPage } from "../guards.ts";
import { nothingHere } from "../problem.ts";
import { answerProblem, refuseUnknownAddress } from "./answer-problem.ts";
import { assetRoutes } from "./assets.ts";
import { clientRoutes } from "./clients.ts";
import type { ApiParts, InStudio, Signed } from "./context.ts";
import { memberRoutes } from "./members.ts";
import { meRoutes } from "./me.ts";
import { platformRoutes } from "./platforms.ts";
import { postRoutes } from "./posts.ts";
import { uploadLinkRoutes } from "./upload-links.ts";
import { studioRoutes } from "./studio.ts";

/** The JSON API behind the web app. Its type is the list of its routes, for the web app's client. */
export type Api = ReturnType<typeof createApi>;

export function createApi(parts: ApiParts) {
  const studio = new Hono<InStudio>()
    .use(inStudio(parts))
    .route("/", studioRoutes(parts))
    .route("/", memberRoutes(parts))
    .route("/", postRoutes(parts))
    .route("/", uploadLinkRoutes(parts))
    .route("/", assetRoutes(parts))
    .route("/", platformRoutes(parts))
    .route("/", clientRoutes(parts));
  const answer = answerProblem(parts.log);
  return new Hono<Signed>()
    .basePath("/api")
    .use(signedIn(parts))
    .onError(answer)
    .notFound((c) => answer(nothingHere(), c))
    .route("/", meRoutes(parts))
    .route("/studios/:studioId", studio);
}

/** Before anything else of a request is looked at: does a change come from our own pages, and who asks? */
function signedIn({ deps, sessions, countCall }: ApiParts): MiddlewareHandler<Signed> {
  return async (c, next) => {
    c.header("cache-control", "no-store");
    refuseUnknownAddress(c);
    if (c.req.method !== "GET" && c.req.method !== "HEAD") requireOwnPage(c.req.raw.headers, deps.base);
    const user = await sessions.find(c.req.header("cookie"));
    if (!user) throw edgeError("unauthenticated", "You are not signed in.", "Sign in, then try again.");
    const refusal = countCall(user.id);
    if (refusal) throw refusal;
    c.env.about.userId = user.id;
    c.set("user", user);
    await next();
  };
}

function inStudio({ deps }: ApiParts): MiddlewareHandler<InStudio> {
  return async (c, next) => {
    const caller = await enterStudio(deps, c.var, c.req.param("studioId") ?? "");
    c.env.about.studioId = caller.studio.id;
    c.set("caller", caller);
    await next();
  };
}
