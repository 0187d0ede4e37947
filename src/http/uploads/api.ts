import type { HttpBindings } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import type { CountCall } from "#domain/access/call-limit.ts";
import type { Deps } from "#domain/deps.ts";
import { cancelFile } from "#domain/uploads/cancel-file.ts";
import { completeFile } from "#domain/uploads/complete-file.ts";
import { describeSession } from "#domain/uploads/describe-session.ts";
import { partAddresses, partAddressesInput } from "#domain/uploads/part-addresses.ts";
import { setAltText, setAltTextInput } from "#domain/uploads/set-alt-text.ts";
import { startFile, startFileInput } from "#domain/uploads/start-file.ts";
import { enterUpload, type UploadVisitor } from "#domain/uploads/visit.ts";
import type { Log } from "#lib/log.ts";
import { answerProblem, refuseUnknownAddress } from "../api/answer-problem.ts";
import { jsonBody } from "../api/input.ts";
import { nothingHere } from "../problem.ts";

export interface UploadApiParts {
  deps: Deps;
  /** Counts one request of a link. */
  countCall: CountCall;
  log: Log;
}

export interface Visited {
  Bindings: HttpBindings;
  Variables: { visitor: UploadVisitor };
}

/** The JSON API behind the upload page. No cookie counts here: the link's token, in a header, is all that is asked for. */
export type UploadApi = ReturnType<typeof createUploadApi>;

export function createUploadApi(parts: UploadApiParts) {
  const { deps } = parts;
  const answer = answerProblem(parts.log);
  return new Hono<Visited>()
    .basePath("/api/uploads")
    .use(visited(parts))
    .onError(answer)
    .notFound((c) => answer(nothingHere(), c))
    .get("/session", async (c) => c.json(await describeSession(deps, c.var.visitor)))
    .post("/files", jsonBody(startFileInput), async (c) =>
      c.json(await startFile(deps, c.var.visitor, c.req.valid("json"))),
    )
    .post("/files/:fileId/addresses", jsonBody(partAddressesInput), async (c) =>
      c.json(await partAddresses(deps, c.var.visitor, { ...c.req.valid("json"), fileId: c.req.param("fileId") })),
    )
    .post("/files/:fileId/complete", async (c) =>
      c.json(await completeFile(deps, c.var.visitor, { fileId: c.req.param("fileId") })),
    )
    .patch("/files/:fileId", jsonBody(setAltTextInput), async (c) =>
      c.json(await setAltText(deps, c.var.visitor, { ...c.req.valid("json"), fileId: c.req.param("fileId") })),
    )
    .delete("/files/:fileId", async (c) => {
      await cancelFile(deps, c.var.visitor, { fileId: c.req.param("fileId") });
      return c.body(null, 204);
    });
}

/** Before anything else of a request is looked at: which link does it come through, and is that still good? */
function visited({ deps, countCall }: UploadApiParts): MiddlewareHandler<Visited> {
  return async (c, next) => {
    c.header("cache-control", "no-store");
    refuseUnknownAddress(c);
    const visitor = await enterUpload(deps, c.req.header("upload-token") ?? "");
    const refused = countCall(visitor.link.id);
    if (refused) throw refused;
    c.set("visitor", visitor);
    await next();
  };
}
