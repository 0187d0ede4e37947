import type { ServerResponse } from "node:http";
import type { Deps } from "#domain/deps.ts";
import { findUploadLink } from "#domain/uploads/visit.ts";
import { mountApi } from "../api/mount.ts";
import { html, sendPage } from "../pages/page.ts";
import { buildUploadPageCsp } from "../security-headers.ts";
import type { RequestContext, Route } from "../server.ts";
import type { StaticFiles } from "../static-files.ts";
import type { UploadApi } from "./api.ts";
import { renderFinishedPage, renderInvalidLinkPage, renderUnavailablePage, renderWithdrawnPage } from "./pages.ts";
import { routeNotFoundError } from "../problem.ts";

export interface UploadRouteOptions {
  deps: Deps;
  api: UploadApi;
  /** The built page, with gaps for what each link shows. */
  webFiles: StaticFiles;
}

const pathPrefix = "/u/";

/** `{uploadPage}/u/<token>`, and the API that the page calls from then on with the token in a header. */
export function createUploadRoutes({ deps, api, webFiles }: UploadRouteOptions): Route[] {
  const { host } = new URL(deps.uploadPage);
  const csp = buildUploadPageCsp([deps.files.origin, new URL(deps.base).origin]);

  async function renderLinkPage(token: string, res: ServerResponse): Promise<void> {
    const linkResult = await findUploadLink(deps, token);
    if (linkResult?.state === "withdrawn") return sendPage(res, renderWithdrawnPage());
    if (linkResult?.state === "finished") return sendPage(res, renderFinishedPage());
    if (!linkResult || linkResult.state === "expired") return sendPage(res, renderInvalidLinkPage());
    const template = webFiles.find("/upload.html")?.content.toString();
    if (template === undefined) throw new Error("web/dist has no upload.html");
    const { studioName, postTitle } = linkResult.link;
    res.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": csp,
      // The address is a key: it goes into no cache and no Referer.
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    });
    res.end(fillTemplate(template, { studio: studioName, post: postTitle }));
  }

  async function handle(
    url: string,
    method: string | undefined,
    res: ServerResponse,
    context: RequestContext,
  ): Promise<void> {
    if (method !== "GET" && method !== "HEAD") throw routeNotFoundError();
    try {
      await renderLinkPage(url.slice(pathPrefix.length).split("?", 1)[0] ?? "", res);
    } catch (error) {
      if (res.headersSent) throw error;
      context.log.error({ requestId: context.requestId, err: error }, "the upload page could not be shown");
      sendPage(res, renderUnavailablePage());
    }
  }

  return [
    { path: "/api/uploads/*", origin: "upload", handle: mountApi(api) },
    {
      path: `${pathPrefix}*`,
      origin: "upload",
      async handle(req, res, context) {
        const url = req.url ?? pathPrefix;
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
function fillTemplate(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => html`${values[name] ?? ""}`.markup);
}
