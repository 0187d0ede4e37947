import type { IncomingMessage, ServerResponse } from "node:http";
import { sandboxPath, type SandboxPlatform } from "#auth/sandbox-platform.ts";
import { readForm, refuseForeignPage } from "./form.ts";
import { onlyHere } from "./only-here.ts";
import { html, renderPage, sendPage, type RenderedPage } from "./page.ts";
import { pageHandler, pathOf } from "./page-handler.ts";
import type { Route } from "../server.ts";

const name = "The sandbox platform";

/** The sandbox platform and its page. It gives access to whoever asks, so it listens to this machine only. */
export function sandboxRoutes({ base, sandbox }: { base: string; sandbox: SandboxPlatform }): Route[] {
  async function show(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await sandbox.checkPending(req, res);
    sendPage(res, accessPage(pathOf(req)));
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    refuseForeignPage(req, base);
    const form = await readForm(req);
    if (form.get("decision") === "deny") return sandbox.finish(req, res, undefined);
    const handle = (form.get("account") ?? "").trim().toLowerCase();
    await sandbox.checkPending(req, res);
    if (!/^[a-z0-9_.-]{1,30}$/.test(handle)) return sendPage(res, accessPage(pathOf(req), handle));
    return sandbox.finish(req, res, handle);
  }

  return [
    {
      path: `${sandboxPath}/about`,
      origin: "own",
      handle: onlyHere(name, pageHandler(base, { GET: (_, res) => sendPage(res, aboutPage()) })),
    },
    {
      path: `${sandboxPath}/access/*`,
      origin: "own",
      handle: onlyHere(name, pageHandler(base, { GET: show, POST: answer })),
    },
    { path: `${sandboxPath}/*`, origin: "own", handle: onlyHere(name, sandbox.handle) },
  ];
}

/** Where the rules of the sandbox are said to come from. */
function aboutPage(): RenderedPage {
  return renderPage({
    title: "Sandbox",
    body: html`<h1>The rules of the sandbox</h1>
      <p>They are made up, so that each kind of problem can be seen on a post. They stand in the source of Atelier.</p>
      <p><a href="/">Go to the start page</a></p>`,
  });
}

function accessPage(action: string, refused?: string): RenderedPage {
  return renderPage({
    title: "Sandbox",
    status: refused === undefined ? 200 : 400,
    body: html`<h1>Sandbox</h1>
      <p>This is a make-believe platform on this machine. Any name is an account of it.</p>
      <form method="post" action="${action}">
        <label for="account">Account</label>
        <input
          type="text"
          id="account"
          name="account"
          value="${refused ?? "studio"}"
          autocapitalize="none"
          autocomplete="off"
          spellcheck="false"
          ${refused !== undefined && html` aria-invalid="true" aria-describedby="refused"`}
        />
        ${refused !== undefined && html`<p class="fault" id="refused">An account has letters, digits, dots, dashes and underscores: at most 30.</p>`}
        <p class="actions">
          <button type="submit" name="decision" value="allow">Allow Atelier to post</button>
          <button type="submit" name="decision" value="deny" class="secondary">Deny</button>
        </p>
      </form>`,
  });
}
