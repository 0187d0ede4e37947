import type { ServerResponse } from "node:http";
import type { Deps } from "#domain/deps.ts";
import { findLink } from "#domain/uploads/visit.ts";
import { mountApi } from "../api/mount.ts";
import { html, sendPage } from "../pages/page.ts";
import { uploadPageCsp } from "../security-headers.ts";
import type { RequestContext, Route } from "../server.ts";
import type { StaticFiles } from "../static-files.ts";
import type { UploadApi } from "./api.ts";
import { finishedPage, notValidPage, unavailablePage, withdrawnPage } from "./pages.ts";
import { nothingHere } from "../problem.ts";

export interface UploadRouteParts {
  deps: Deps;
  api: UploadApi;
  /** The built page, with gaps for what each link shows. */
  webFiles: StaticFiles;
}

const path = "/u/";

/** `{uploadPage}/u/<token>`, and the API that the page calls from then on with the token in a header. */
export function uploadRoutes({ deps, api, webFiles }: UploadRouteParts): Route[] {
  const { host } = new URL(deps.uploadPage);
  const csp = uploadPageCsp([deps.files.origin, new URL(deps.base).origin]);

  async function show(token: string, res: ServerResponse): Promise<void> {
    const found = await findLink(deps, token);
    if (found?.state === "withdrawn") return sendPage(res, withdrawnPage());
    if (found?.state === "finished") return sendPage(res, finishedPage());
    if (!found || found.state === "expired") return sendPage(res, notValidPage());
    const template = webFiles.find("/upload.html")?.plain.toString();
    if (template === undefined) throw new Error("web/dist has no upload.html");
    const { studioName, postTitle } = found.link;
    res.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": csp,
      // The address is a key: it goes into no cache and no Referer.
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    });
    res.end(fill(template, { studio: studioName, post: postTitle }));
  }

  async function handle(
    url: string,
    method: string | undefined,
    res: ServerResponse,
    context: RequestContext,
  ): Promise<void> {
    if (method !== "GET" && method !== "HEAD") throw nothingHere();
    try {
      await show(url.slice(path.length).split("?", 1)[0] ?? "", res);
    } catch (error) {
      if (res.headersSent) throw error;
      context.log.error({ requestId: context.requestId, err: error }, "the upload page could not be shown");
      sendPage(res, unavailablePage());
    }
  }

  return [
    { path: "/api/uploads/*", origin: "upload", handle: mountApi(api) },
    {
      path: `${path}*`,
      origin: "upload",
      async handle(req, res, context) {
        const url = req.url ?? path;
        if (req.method === "GET" && req.headers.host !== host) {
          // On loopback, 127.0.0.1 for localhost: the store knows pages by one name.
          res
            .writeHead(307, {
              location: `${deps.uploadPage}${url}`,
              "cache-control": "no-store",
              "referrer-policy": "no-referrer",
            })
            .end();
          return;
        }
        await handle(url, req.method, res, context);
      },
    },
  ];
}

/** Puts text, escaped, into the gaps of the built page. */
function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => html`${values[name] ?? ""}`.markup);
}
