import { Hono, type MiddlewareHandler } from "hono";
import { resolveStudioCaller } from "#domain/steps/resolve-studio-caller.ts";
import type { WebUser } from "#domain/access/sessions.ts";
import { AppError } from "#lib/errors.ts";
import { assertSameOrigin } from "../guards.ts";
import { routeNotFoundError } from "../problem.ts";
import { assertRouteExists, createErrorHandler, type ApiOptions, type SignedInEnv, type StudioEnv } from "./context.ts";
import { createAssetRoutes } from "./asset-routes.ts";
import { createCommentRoutes } from "./comment-routes.ts";
import { createEventRoutes } from "./event-routes.ts";
import { createClientRoutes, createPlatformRoutes } from "./client-routes.ts";
import { createMemberRoutes, createMeRoutes, createStudioRoutes } from "./studio-routes.ts";
import { createMailRoutes } from "./mail-routes.ts";
import { createPublicationRoutes } from "./publication-routes.ts";
import { createReviewLinkRoutes } from "./review-routes.ts";
import { createRenditionRoutes } from "./rendition-routes.ts";
import { createTrashRoutes } from "./trash-routes.ts";
import { createPostRoutes, createUploadLinkRoutes } from "./post-routes.ts";
import { createWebhookRoutes } from "./webhook-routes.ts";

/** The web app's JSON API. The web app derives its typed client from this type. */
export type Api = ReturnType<typeof createApi>;

export function createApi(options: ApiOptions) {
  const studioApi = new Hono<StudioEnv>()
    .use(requireStudio(options))
    .route("/", createStudioRoutes(options))
    .route("/", createMemberRoutes(options))
    .route("/", createPostRoutes(options))
    .route("/", createCommentRoutes(options))
    .route("/", createEventRoutes(options))
    .route("/", createUploadLinkRoutes(options))
    .route("/", createReviewLinkRoutes(options))
    .route("/", createAssetRoutes(options))
    .route("/", createRenditionRoutes(options))
    .route("/", createPlatformRoutes(options))
    .route("/", createClientRoutes(options))
    .route("/", createTrashRoutes(options))
    .route("/", createPublicationRoutes(options))
    .route("/", createWebhookRoutes(options))
    .route("/", createMailRoutes(options));
  const handleError = createErrorHandler(options.log);
  return new Hono<SignedInEnv>()
    .basePath("/api")
    .use(requireSession(options))
    .onError(handleError)
    .notFound((c) => handleError(routeNotFoundError(), c))
    .route("/", createMeRoutes(options))
    .route("/studios/:studioId", studioApi);
}

/** Requires a session, enforces the user's rate limit, and rejects cross-origin requests that change data. */
function requireSession({ deps, sessions, checkCallLimit }: ApiOptions): MiddlewareHandler<SignedInEnv> {
  return async (c, next) => {
    c.header("cache-control", "no-store");
    assertRouteExists(c);
    if (c.req.method !== "GET" && c.req.method !== "HEAD") assertSameOrigin(c.env.incoming, deps.baseUrl);
    const readSession = async (): Promise<WebUser> => {
      const webUser = await sessions.find(c.req.header("cookie"));
      if (!webUser) throw new AppError("unauthenticated");
      c.set("user", webUser.user);
      c.set("credential", webUser.credential);
      return webUser;
    };
    const { user } = await readSession();
    checkCallLimit(user.id);
    c.env.logContext.userId = user.id;
    c.set("readAuthority", async () => void (await readSession()));
    await next();
  };
}

function requireStudio({ deps }: ApiOptions): MiddlewareHandler<StudioEnv> {
  return async (c, next) => {
    const readCaller = async (): Promise<void> =>
      c.set("caller", await resolveStudioCaller(deps, c.var, c.req.param("studioId") ?? ""));
    await readCaller();
    c.env.logContext.studioId = c.var.caller.studio.id;
    const { readAuthority } = c.var;
    c.set("readAuthority", async () => {
      await readAuthority();
      await readCaller();
    });
    await next();
  };
}
