import type { MailMessage } from "#domain/model/mail.ts";
import { type Block, describeMail } from "./describe-mail.ts";

/** RFC 5322 §2.1.1 limits lines to 998 characters; mail programs show far fewer of a subject. */
const maxSubjectLength = 150;

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

export function renderMail({ content, settingsUrl, unsubscribeUrl }: MailMessage): RenderedMail {
  const { subject, heading, blocks, reason } = describeMail(content);
  const links = [
    { label: "Choose your emails", url: settingsUrl },
    { label: "Unsubscribe", url: unsubscribeUrl },
  ].filter((link): link is { label: string; url: string } => link.url !== undefined);
  return {
    subject: shorten(subject),
    text: [
      heading,
      ...blocks.map(toText),
      ["-- ", reason, ...links.map(({ label, url }) => `${label}: ${url}`)].join("\n"),
      "",
    ].join("\n\n"),
    html: renderDocument(
      heading,
      `<h1>${escape(heading)}</h1>${blocks.map(toHtml).join("")}` +
        `<p class="foot muted">${[escape(reason), ...links.map(renderLink)].join("<br>")}</p>`,
    ),
  };
}

function shorten(subject: string): string {
  const line = subject.replace(/[\p{Cc}\s]+/gu, " ").trim();
  if (line.length <= maxSubjectLength) return line;
  const start = line.slice(0, maxSubjectLength - 1).replace(/[\ud800-\udbff]$/, "");
  return `${start.trimEnd()}…`;
}

function toText(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return block.text;
    case "button":
      return `${block.label}:\n${block.url}`;
    case "list":
      return block.items.map(({ text, url }) => `- ${text}\n  ${url}`).join("\n\n");
  }
}

function toHtml(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return `<p>${escape(block.text)}</p>`;
    case "button":
      return `<p><a class="button" href="${escape(block.url)}">${escape(block.label)}</a></p>`;
    case "list":
      return block.items
        .map(({ text, url }) => `<p class="item">${escape(text)}<br>${renderLink({ label: "Open", url })}</p>`)
        .join("");
  }
}

const renderLink = ({ label, url }: { label: string; url: string }): string =>
  `<a href="${escape(url)}">${escape(label)}</a>`;

const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** Styles that mail programs support; those without media queries show the light colors. */
const css = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 24px 16px; background: #f3f5f4; color: #1a211e; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.card { max-width: 520px; margin: 0 auto; padding: 24px; background: #ffffff; border-radius: 10px; overflow-wrap: anywhere; }
h1 { margin: 0 0 16px; font-size: 20px; line-height: 1.3; }
p { margin: 0 0 16px; }
a { color: #14715b; }
.button { display: inline-block; padding: 10px 18px; border-radius: 6px; background: #14715b; color: #ffffff; font-weight: 600; text-decoration: none; }
.item { padding-top: 12px; border-top: 1px solid #e1e6e3; }
.foot { margin: 24px 0 0; font-size: 13px; }
.muted { color: #5b6762; }
@media (prefers-color-scheme: dark) {
  body { background: #0d1110; color: #e6ebe9; }
  .card { background: #1a201e; }
  a { color: #5cc2a5; }
  .button { background: #5cc2a5; color: #0c1b16; }
  .item { border-color: #28302d; }
  .muted { color: #98a59f; }
}`;

const renderDocument = (title: string, body: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escape(title)}</title>
<style>${css}
</style>
</head>
<body><div class="card">${body}</div></body>
</html>
`;
