import { html, renderPage, type RenderedPage } from "../pages/page.ts";

const newLinkHint = html`<p class="hint">
  Ask whoever sent you the link for a new one. An AI assistant makes one when you say: “Make a new upload link for this
  post.”
</p>`;

/** One page for all that is forged, cut short or expired: what a stranger can try tells them nothing. */
export const renderInvalidLinkPage = (): RenderedPage =>
  renderUploadErrorPage(
    "This link does not work",
    html`<p>An upload link works for 30 minutes. This one has ended, or it was not copied whole.</p>
      ${newLinkHint}`,
  );

export const renderWithdrawnPage = (): RenderedPage =>
  renderUploadErrorPage(
    "This link was withdrawn",
    html`<p>No more files can be sent through it. What had arrived before is kept.</p>
      ${newLinkHint}`,
  );

export const renderFinishedPage = (): RenderedPage =>
  renderUploadErrorPage(
    "All files have arrived",
    html`<p>
        Everything that was sent through this link is on the post. Its 30 minutes are over, so no more can be added; you
        can close this page.
      </p>
      ${newLinkHint}`,
  );

export const renderUnavailablePage = (): RenderedPage =>
  renderUploadErrorPage(
    "Not right now",
    html`<p>The upload page cannot be shown at the moment. Your link is still good.</p>
      <p class="hint">Load the page again in a minute.</p>`,
    503,
  );

function renderUploadErrorPage(title: string, body: ReturnType<typeof html>, status = 403): RenderedPage {
  const rendered = renderPage({
    title,
    status,
    body: html`<h1>${title}</h1>
      ${body}`,
  });
  return { ...rendered, headers: { ...rendered.headers, "referrer-policy": "no-referrer" } };
}
