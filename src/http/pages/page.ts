import type { ServerResponse } from "node:http";
import type { Person } from "#domain/caller.ts";
import type { Role } from "#domain/policy.ts";

/** Escaped markup. Only the `html` tag creates it. */
export interface Html {
  readonly markup: string;
}

type HtmlPart = string | number | Html | readonly Html[] | false | undefined;

/** Template tag that sanitizes and escapes text, inserts `Html` unchanged, joins lists and omits `false`. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return { markup: strings.map((text, i) => text + (i < parts.length ? renderPart(parts[i]) : "")).join("") };
}

function renderPart(part: HtmlPart): string {
  if (part === undefined || part === false) return "";
  if (typeof part === "object") return "markup" in part ? part.markup : part.map((item) => item.markup).join("");
  return sanitizeText(String(part)).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/**
 * Removes bidirectional control characters, which could reorder the text around a name, and limits combining marks to
 * four per character, because stacks of them cover neighboring lines.
 */
function sanitizeText(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "").replace(/(\p{M}{4})\p{M}+/gu, "$1");
}

export interface PageOptions {
  title: string;
  body: Html;
  status?: number;
  /** CSP sources, besides this site, to which forms on this page may submit or redirect. */
  formTargets?: readonly string[];
}

export interface RenderedPage {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Renders a page that works without JavaScript, such as sign-in, consent and errors. */
export function renderPage({ title, body, status = 200, formTargets = [] }: PageOptions): RenderedPage {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · Atelier</title>
        <link rel="stylesheet" href="/pages.css" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
      </head>
      <body>
        <main>
          <p class="brand"><img src="/icon.svg" alt="" width="22" height="22" />Atelier</p>
          ${body}
        </main>
      </body>
    </html> `;
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action ${["'self'", ...formTargets].join(" ")}; frame-ancestors 'none'; base-uri 'none'`,
    },
    body: page.markup,
  };
}

export function renderErrorPage(error: {
  status: number;
  title: string;
  message: string;
  hint?: string | undefined;
  /** What to do next; by default, a link to the home page. */
  action?: { text: string; url: string };
}): RenderedPage {
  const { text, url } = error.action ?? { text: "Go to the home page", url: "/" };
  return renderPage({
    status: error.status,
    title: error.title,
    body: html`<h1>${error.title}</h1>
      <p>${error.message}</p>
      ${error.hint !== undefined && html`<p>${error.hint}</p>`}
      <p class="actions"><a class="button" href="${url}">${text}</a></p>`,
  });
}

export function sendPage(res: ServerResponse, page: RenderedPage): void {
  res.writeHead(page.status, page.headers).end(page.body);
}

/** The role inside a sentence: "a member", "an owner". */
export const withArticle = (role: Role): string => `${role === "member" ? "a" : "an"} ${role}`;

/** Renders a definition list that ends with the signed-in user. */
export function renderAccountDetails(user: Person, otherDetails: Html = html``): Html {
  return html`<dl>
    ${otherDetails}
    <dt>Signed in as</dt>
    <dd>
      ${user.name}${user.email !== null && user.email !== user.name && html` <span class="hint">${user.email}</span>`}
    </dd>
  </dl>`;
}
