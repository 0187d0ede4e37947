import type { IncomingMessage, ServerResponse } from "node:http";
import { devIssuerPath, type DevIssuer } from "#auth/dev-issuer.ts";
import { nameFromAddress, readAddress } from "#auth/dev-people.ts";
import { readCookie } from "#lib/cookies.ts";
import { readForm, refuseForeignPage } from "./form.ts";
import { onlyHere } from "./only-here.ts";
import { html, renderPage, sendPage, type RenderedPage } from "./page.ts";
import { pageHandler, pathOf } from "./page-handler.ts";
import type { Route } from "../server.ts";

const peopleCookie = "atelier_dev_people";
const mostPeople = 6;
const name = "The development sign-in";

/** The development issuer and its page. It believes what it is told, so it listens to this machine only. */
export function devIssuerRoutes({ base, devIssuer }: { base: string; devIssuer: DevIssuer }): Route[] {
  async function show(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await devIssuer.checkPending(req, res);
    sendPage(res, whoPage(pathOf(req), recentPeople(req)));
  }

  async function choose(req: IncomingMessage, res: ServerResponse): Promise<void> {
    refuseForeignPage(req, base);
    const typed = (await readForm(req)).get("email") ?? "";
    const address = readAddress(typed);
    await devIssuer.checkPending(req, res);
    if (address === undefined) return sendPage(res, whoPage(pathOf(req), recentPeople(req), typed));
    const people = [address, ...recentPeople(req).filter((one) => one !== address)].slice(0, mostPeople);
    const value = Buffer.from(JSON.stringify(people)).toString("base64url");
    res.setHeader(
      "set-cookie",
      `${peopleCookie}=${value}; Path=${devIssuerPath}; Max-Age=31536000; HttpOnly; SameSite=Lax`,
    );
    return devIssuer.finish(req, res, address);
  }

  return [
    {
      path: `${devIssuerPath}/sign-in/*`,
      origin: "own",
      handle: onlyHere(name, pageHandler(base, { GET: show, POST: choose })),
    },
    { path: `${devIssuerPath}/*`, origin: "own", handle: onlyHere(name, devIssuer.handle) },
  ];
}

function whoPage(action: string, recent: readonly string[], refused?: string): RenderedPage {
  return renderPage({
    title: "Who are you?",
    status: refused === undefined ? 200 : 400,
    body: html`<h1>Who are you?</h1>
      <p>This is a sign-in for development: any address signs in as the person at it, without a password.</p>
      <form method="post" action="${action}">
        <label for="email">Email address</label>
        <input
          type="text"
          id="email"
          name="email"
          value="${refused ?? ""}"
          inputmode="email"
          autocomplete="email"
          autocapitalize="none"
          spellcheck="false"
          required
          autofocus${refused !== undefined && html` aria-invalid="true" aria-describedby="refused"`}
        />
        ${refused !== undefined && html`<p class="fault" id="refused">That is not an email address. It looks like ada@example.com.</p>`}
        <p class="actions"><button type="submit">Sign in</button></p>
      </form>
      ${
        recent.length > 0 &&
        html`<h2>Signed in here before</h2>
          <div class="choices">
            ${recent.map(
              (address) =>
                html`<form method="post" action="${action}">
                  <input type="hidden" name="email" value="${address}" />
                  <button type="submit" class="secondary">
                    ${nameFromAddress(address)} <span class="hint">${address}</span>
                  </button>
                </form> `,
            )}
          </div>`
      }`,
  });
}

/** The addresses this browser used, as it remembers them; anything that is none is left out. */
function recentPeople(req: IncomingMessage): string[] {
  try {
    const list: unknown = JSON.parse(
      Buffer.from(readCookie(req.headers.cookie, peopleCookie) ?? "", "base64url").toString(),
    );
    if (!Array.isArray(list)) return [];
    return list
      .filter((one): one is string => typeof one === "string" && readAddress(one) === one)
      .slice(0, mostPeople);
  } catch {
    return [];
  }
}
