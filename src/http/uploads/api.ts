import type { HttpBindings } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import type { CallLimitCheck } from "#domain/access/call-limiter.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { cancelFile, completeFile, describeUploadPage, setAltText, setAltTextInput } from "#domain/uploads/files.ts";
import { createPartUrls, partUrlsInput } from "#domain/uploads/reserve-parts.ts";
import { startFile, startFileInput } from "#domain/uploads/start-file.ts";
import { resolveUploadCaller, type UploadCaller } from "#domain/uploads/upload-link.ts";
import type { Log } from "#lib/log.ts";
import { assertRouteExists, createErrorHandler, type ReadAuthority } from "../api/context.ts";
import { noContent } from "../api/responses.ts";
import { validateJson } from "../api/validate-input.ts";
import { routeNotFoundError } from "../problem.ts";

export interface UploadEnv {
  Bindings: HttpBindings;
  Variables: ReadAuthority & { caller: UploadCaller };
}

/** The upload page's JSON API. The link's token, sent in a header, is the only credential; cookies are ignored. */
export type UploadApi = ReturnType<typeof createUploadApi>;

export function createUploadApi(deps: Deps, checkCallLimit: CallLimitCheck, log: Log) {
  const handleError = createErrorHandler(log);
  return new Hono<UploadEnv>()
    .basePath("/api/uploads")
    .use(requireUploadLink(deps, checkCallLimit))
    .onError(handleError)
    .notFound((c) => handleError(routeNotFoundError(), c))
    .get("/session", async (c) => c.json(await describeUploadPage(deps, c.var.caller)))
    .post("/files", validateJson(startFileInput), async (c) =>
      c.json(await startFile(deps, c.var.caller, c.req.valid("json"))),
    )
    .post("/files/:fileId/addresses", validateJson(partUrlsInput), async (c) => {
      const input = { ...c.req.valid("json"), ...c.req.param() };
      const { urls, expiresAt } = await createPartUrls(deps, c.var.caller, input);
      // Upload pages that were opened before an update still read this name.
      return c.json({ addresses: urls, expiresAt });
    })
    .post("/files/:fileId/complete", async (c) => c.json(await completeFile(deps, c.var.caller, c.req.param())))
    .patch("/files/:fileId", validateJson(setAltTextInput), async (c) =>
      c.json(await setAltText(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    )
    .delete("/files/:fileId", async (c) => noContent(c, cancelFile(deps, c.var.caller, c.req.param())));
}

/** Resolves the upload link from the token and enforces its rate limit. */
function requireUploadLink(deps: Deps, checkCallLimit: CallLimitCheck): MiddlewareHandler<UploadEnv> {
  return async (c, next) => {
    c.header("cache-control", "no-store");
    assertRouteExists(c);
    const readAuthority = async (): Promise<void> =>
      c.set("caller", await resolveUploadCaller(deps, c.req.header("upload-token") ?? ""));
    await readAuthority();
    checkCallLimit(c.var.caller.link.id);
    c.set("readAuthority", readAuthority);
    await next();
  };
}
