import { AppError } from "#lib/errors.ts";
import { isLocalPeer } from "../guards.ts";
import type { Handler } from "../server.ts";

/** For what believes whatever it is told: it listens to this machine only. `what` names it to everyone else. */
export function onlyHere(what: string, handle: Handler): Handler {
  return (req, res, context) => {
    if (!isLocalPeer(req)) throw new AppError("forbidden", `${what} answers this machine only.`);
    return handle(req, res, context);
  };
}
