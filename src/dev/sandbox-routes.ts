import type { IncomingMessage, ServerResponse } from "node:http";
import { readForm } from "#http/pages/form.ts";
import { getPath } from "#http/pages/page-handler.ts";
import { html, renderPage, sendPage, type RenderedPage } from "#http/pages/page.ts";
import type { Route } from "#http/server.ts";
import { createProviderRoutes } from "./provider-routes.ts";
import { sandboxPath, type SandboxPlatform } from "./sandbox-platform.ts";

/** The sandbox platform and its pages. */
export function createSandboxRoutes(base: string, sandbox: SandboxPlatform): Route[] {
  async function showAccess(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await sandbox.assertPending(req, res);
    sendPage(res, renderAccessPage(getPath(req)));
  }

  async function submitAccess(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const form = await readForm(req);
    if (form.get("decision") === "deny") return sandbox.finish(req, res, undefined);
    const handle = (form.get("account") ?? "").trim().toLowerCase();
    await sandbox.assertPending(req, res);
    if (!/^[a-z0-9_.-]{1,30}$/.test(handle)) return sendPage(res, renderAccessPage(getPath(req), handle));
    return sandbox.finish(req, res, handle);
  }

  return createProviderRoutes({
    base,
    path: sandboxPath,
    name: "The sandbox platform",
    alternative: "Use an account of another platform",
    pages: {
      "/about": { GET: (_, res) => sendPage(res, renderAboutPage()) },
      "/access/*": { GET: showAccess, POST: submitAccess },
    },
    handle: sandbox.handle,
  });
}

/** The page that the sandbox cites as the source of its limits. */
function renderAboutPage(): RenderedPage {
  return renderPage({
    title: "Sandbox",
    body: html`<h1>Sandbox rules</h1>
      <p>These limits are made up so that you can see each kind of problem on a post.</p>
      <p><a href="/">Go to the home page</a></p>`,
  });
}

function renderAccessPage(action: string, invalidHandle?: string): RenderedPage {
  const isInvalid = invalidHandle !== undefined;
  return renderPage({
    title: "Sandbox",
    status: isInvalid ? 400 : 200,
    body: html`<h1>Sandbox</h1>
      <p>A test platform on this machine. Any account name works.</p>
      <form method="post" action="${action}">
        <label for="account">Account</label>
        <input
          type="text"
          id="account"
          name="account"
          value="${invalidHandle ?? "practice-account"}"
          autocapitalize="none"
          autocomplete="off"
          spellcheck="false"
          ${isInvalid && html` aria-invalid="true" aria-describedby="account-error"`}
        />
        ${
          isInvalid &&
          html`<p class="field-error" id="account-error">
            Use up to 30 letters, digits, dots, dashes and underscores.
          </p>`
        }
        <p class="actions">
          <button type="submit" name="decision" value="allow">Allow Atelier to post</button>
          <button type="submit" name="decision" value="deny" class="secondary">Deny</button>
        </p>
      </form>`,
  });
}
