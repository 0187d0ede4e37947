import type { Deps } from "#domain/ports/deps.ts";
import { findUploadLink } from "#domain/uploads/upload-link.ts";
import { mountApi } from "../api/context.ts";
import { html, renderPage, sendPage, type RenderedPage } from "../pages/page.ts";
import { createPageHandler, getPath } from "../pages/page-handler.ts";
import { buildUploadPageCsp } from "../guards.ts";
import type { Route } from "../server.ts";
import type { StaticFiles } from "../static-files.ts";
import type { UploadApi } from "./api.ts";

const pathPrefix = "/u/";

/** `{uploadPage}/u/<token>`, and the API that the page calls with the token in a header. The built web app has a template of the page. */
export function createUploadRoutes(deps: Deps, api: UploadApi, webFiles: StaticFiles): Route[] {
  const csp = buildUploadPageCsp([deps.files.origin, new URL(deps.baseUrl).origin]);

  async function renderLinkPage(token: string): Promise<RenderedPage> {
    const linkResult = await findUploadLink(deps, token);
    if (linkResult?.state === "withdrawn") return renderWithdrawnPage();
    if (linkResult?.state === "finished") return renderFinishedPage();
    if (!linkResult || linkResult.state === "expired") return renderInvalidLinkPage();
    const template = webFiles.find("/upload.html")?.content.toString();
    if (template === undefined) throw new Error("web/dist has no upload.html");
    const { studioName, postTitle } = linkResult.link;
    return {
      status: 200,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": csp,
        "cache-control": "no-store",
      },
      body: fillTemplate(template, { studio: studioName, post: postTitle ?? "Library" }),
    };
  }

  const handlePage = createPageHandler(deps.uploadPage, {
    async GET(req, res, { requestId, log }) {
      const page = await renderLinkPage(getPath(req).slice(pathPrefix.length)).catch((error: unknown) => {
        log.error({ requestId, err: error }, "rendering the upload page failed");
        return renderUnavailablePage();
      });
      sendPage(res, page);
    },
  });
  return [
    { path: "/api/uploads/*", originRule: "upload", logsRest: true, handle: mountApi(api) },
    {
      path: `${pathPrefix}*`,
      originRule: "upload",
      handle(req, res, context) {
        // The URL is a secret: keep it out of Referer headers.
        res.setHeader("referrer-policy", "no-referrer");
        return handlePage(req, res, context);
      },
    },
  ];
}

/** Replaces the placeholders of the built page with escaped text. */
export function fillTemplate(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => html`${values[name] ?? ""}`.markup);
}

const renderNewLinkHint = (request: string) =>
  html`<p class="hint">
    ${request} If you work with an AI assistant, tell it: “Create a new upload link for this post.”
  </p>`;

const newLinkHint = renderNewLinkHint("Ask the person who sent you the link for a new one.");

/** Forged, truncated and expired links get the same page, so that guessing reveals nothing. */
const renderInvalidLinkPage = (): RenderedPage =>
  renderUploadErrorPage(
    "This link is invalid or has expired",
    html`<p>Upload links work for 30 minutes. This one may have expired, or the link may be incomplete.</p>
      ${newLinkHint}`,
  );

const renderWithdrawnPage = (): RenderedPage =>
  renderUploadErrorPage(
    "This link was withdrawn",
    html`<p>You can’t upload more files with it. Files that were already received are kept.</p>
      ${newLinkHint}`,
  );

const renderFinishedPage = (): RenderedPage =>
  renderUploadErrorPage(
    "All files received",
    html`<p>Every file sent through this link has arrived, and the link has expired. You can close this page.</p>
      ${renderNewLinkHint("To add more files, ask the person who sent you the link for a new one.")}`,
  );

const renderUnavailablePage = (): RenderedPage =>
  renderUploadErrorPage(
    "This page couldn’t be loaded",
    html`<p>The upload page is unavailable right now. Your link still works.</p>
      <p class="hint">Reload the page in a minute.</p>`,
    503,
  );

function renderUploadErrorPage(title: string, body: ReturnType<typeof html>, status = 403): RenderedPage {
  return renderPage({
    title,
    status,
    body: html`<h1>${title}</h1>
      ${body}`,
  });
}
