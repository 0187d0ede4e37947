import type { Deps } from "#domain/ports/deps.ts";
import { getRendition } from "#domain/renditions/get-rendition.ts";
import { resolveReviewImage } from "#domain/reviews/describe-review.ts";
import { resolveGuest } from "#domain/reviews/guest.ts";
import { minutes } from "#lib/clock.ts";
import { mountApi } from "../api/context.ts";
import { serveFile } from "../files/file-get.ts";
import { respondWithProblem } from "../files/file-put.ts";
import { createStoreReader, type MediaRouteOptions } from "../files/media-route.ts";
import { buildReviewPageCsp } from "../guards.ts";
import { createPageHandler, getPath } from "../pages/page-handler.ts";
import { sendPage } from "../pages/page.ts";
import { routeNotFoundError } from "../problem.ts";
import type { Route } from "../server.ts";
import type { StaticFiles } from "../static-files.ts";
import { fillTemplate } from "../uploads/routes.ts";
import type { ReviewApi } from "./api.ts";

const pagePathPrefix = "/r/";
const imagePathPrefix = "/files/review/";

/** `{base}/r/<token>`, the API that the page calls with the token in a header, and the images of the page. */
export function createReviewRoutes(
  deps: Deps,
  api: ReviewApi,
  webFiles: StaticFiles,
  { clock, stallTimeoutMs }: MediaRouteOptions,
): Route[] {
  const reader = createStoreReader(deps.files);
  const csp = buildReviewPageCsp(deps.files.origin);
  const handlePage = createPageHandler(deps.baseUrl, {
    async GET(req, res) {
      const { link } = await resolveGuest(deps, getPath(req).slice(pagePathPrefix.length));
      const template = webFiles.find("/review.html")?.content.toString();
      if (template === undefined) throw new Error("web/dist has no review.html");
      const headers = {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": csp,
        "cache-control": "no-store",
      };
      sendPage(res, { status: 200, headers, body: fillTemplate(template, { studio: link.studioName }) });
    },
  });
  return [
    { path: "/api/reviews/*", originRule: "own", logsRest: true, handle: mountApi(api) },
    {
      path: `${pagePathPrefix}*`,
      originRule: "own",
      handle(req, res, context) {
        // The URL is a secret: keep it out of Referer headers.
        res.setHeader("referrer-policy", "no-referrer");
        return handlePage(req, res, context);
      },
    },
    {
      path: `${imagePathPrefix}*`,
      originRule: "any", // the token in the URL is the only credential
      async handle(req, res, context) {
        if (req.method !== "GET" && req.method !== "HEAD") throw routeNotFoundError();
        try {
          const { guest, image } = await resolveReviewImage(deps, (req.url ?? "").slice(imagePathPrefix.length));
          const controller = new AbortController();
          res.once("close", () => controller.abort());
          const { storageKey: key, ...file } = await getRendition(deps, guest.caller, image, controller.signal);
          const claims = { op: "get", key, asDownload: false, expiresAt: clock() + minutes(10), ...file } as const;
          await serveFile(req, res, reader, claims, { clock, stallTimeoutMs });
        } catch (error) {
          respondWithProblem(req, res, error, context);
        }
      },
    },
  ];
}
