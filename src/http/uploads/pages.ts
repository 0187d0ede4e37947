import { html, renderPage, type RenderedPage } from "../pages/page.ts";

const nextStep = html`<p class="hint">
  Ask whoever sent you the link for a new one. An AI assistant makes one when you say: “Make a new upload link for this
  post.”
</p>`;

/** One page for all that is forged, cut short or expired: what a stranger can try tells them nothing. */
export const notValidPage = (): RenderedPage =>
  page(
    "This link does not work",
    html`<p>An upload link works for 30 minutes. This one has ended, or it was not copied whole.</p>
      ${nextStep}`,
  );

export const withdrawnPage = (): RenderedPage =>
  page(
    "This link was withdrawn",
    html`<p>No more files can be sent through it. What had arrived before is kept.</p>
      ${nextStep}`,
  );

export const finishedPage = (): RenderedPage =>
  page(
    "All files have arrived",
    html`<p>
        Everything that was sent through this link is on the post. Its 30 minutes are over, so no more can be added; you
        can close this page.
      </p>
      ${nextStep}`,
  );

export const unavailablePage = (): RenderedPage =>
  page(
    "Not right now",
    html`<p>The upload page cannot be shown at the moment. Your link is still good.</p>
      <p class="hint">Load the page again in a minute.</p>`,
    503,
  );

function page(title: string, body: ReturnType<typeof html>, status = 403): RenderedPage {
  const rendered = renderPage({
    title,
    status,
    body: html`<h1>${title}</h1>
      ${body}`,
  });
  return { ...rendered, headers: { ...rendered.headers, "referrer-policy": "no-referrer" } };
}
