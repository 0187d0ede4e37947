import type { IncomingMessage } from "node:http";
import type { Consent } from "#auth/consent.ts";
import type { User } from "#domain/access/ports.ts";
import { describeMe } from "#domain/access/describe-me.ts";
import { scopes, type Scope } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { minutes } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Signer } from "#lib/signed-token.ts";
import { consentPage } from "./consent-page.ts";
import { readForm, refuseForeignPage } from "./form.ts";
import { sendPage } from "./page.ts";
import type { Handler } from "./server.ts";

export interface ConsentParts {
  consent: Consent;
  deps: Pick<Deps, "users" | "clock">;
  signer: Signer;
  base: string;
  loginUrl: string;
  findUser: (cookieHeader: string | undefined) => Promise<User | undefined>;
  /** Throws once a person answers more often than a person does. */
  countAnswer: (req: IncomingMessage, userId: string) => Promise<void>;
}

const formLifetime = minutes(30);
const choices: Record<string, readonly Scope[]> = { read: ["studio:read"], write: scopes };

/** `/consent/<id>`: GET shows the approval, POST answers it. */
export function consentRoute(parts: ConsentParts): Handler {
  const { consent, deps, signer, base, loginUrl, findUser } = parts;
  return async (req, res) => {
    const user = await findUser(req.headers.cookie);
    if (!user) {
      if (req.method !== "GET") throw new AppError("forbidden", "You are not signed in any more.", "Go back to your assistant and connect again.");
      const login = new URL(loginUrl);
      login.searchParams.set("return_to", new URL(req.url ?? "/", base).pathname);
      res.writeHead(303, { location: login.href, "cache-control": "no-store" }).end();
      return;
    }
    const approval = await consent.pending(req, res);
    if (req.method === "GET" || req.method === "HEAD") {
      const me = await describeMe(deps, { user });
      const token = signer.sign("form", { uid: approval.uid, user: user.id }, deps.clock() + formLifetime);
      const studio = me.memberships.find(({ studioId }) => studioId === me.activeStudioId);
      sendPage(res, consentPage({ approval, user, studio, token }));
      return;
    }
    if (req.method !== "POST") throw new AppError("not_found", "There is nothing at this address.");
    refuseForeignPage(req, base);
    await parts.countAnswer(req, user.id);
    const form = await readForm(req);
    const claims = signer.verify("form", form.get("token") ?? "");
    // The form belongs to this approval and this person; the approval's own cookie binds it to this browser.
    if (claims?.["uid"] !== approval.uid || claims["user"] !== user.id) {
      throw new AppError("forbidden", "This form is not the one we showed you.", "Open the approval again from your assistant.");
    }
    if (form.get("decision") === "cancel") return consent.cancel(req, res);
    if (form.get("decision") !== "approve") throw new AppError("invalid_input", "Choose Approve or Cancel.");
    return consent.approve(req, res, { user }, choices[form.get("access") ?? ""] ?? []);
  };
}
