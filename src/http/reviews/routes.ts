import type { Deps } from "#domain/ports/deps.ts";
import { getRendition } from "#domain/renditions/get-rendition.ts";
import { resolveReviewImage } from "#domain/reviews/describe-review.ts";
import { minutes } from "#lib/clock.ts";
import { mountApi } from "../api/context.ts";
import { serveFile } from "../files/file-get.ts";
import { respondWithProblem } from "../files/file-put.ts";
import { createStoreReader, type MediaRouteOptions } from "../files/media-route.ts";
import { routeNotFoundError } from "../problem.ts";
import type { Route } from "../server.ts";
import type { ReviewApi } from "./api.ts";

const imagePathPrefix = "/files/review/";

/** The API of the review page, which gets the token in a header, and the images of the page. */
export function createReviewRoutes(deps: Deps, api: ReviewApi, { clock, stallTimeoutMs }: MediaRouteOptions): Route[] {
  const reader = createStoreReader(deps.files);
  return [
    { path: "/api/reviews/*", originRule: "own", logsRest: true, handle: mountApi(api) },
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
