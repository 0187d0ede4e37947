import type { IncomingMessage, ServerResponse } from "node:http";
import type { KoaContextWithOIDC } from "oidc-provider";
import { hostCookie } from "#lib/cookies.ts";
import { approvalLifetime } from "./adapter.ts";

/**
 * Which approvals a browser began: a cookie each, which on https this very host alone can set. The library's own are
 * bound to paths, so that a sister domain could plant them in another person's browser: that person would approve what
 * someone else began, who then collects.
 */
export interface BegunApprovals {
  /** Gives the cookie to a browser that is being sent to an approval. */
  remember(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void>;
  has(req: IncomingMessage, uid: string): boolean;
  /** It has been answered. */
  forget(res: ServerResponse, uid: string): void;
}

/** Whoever begins more than this has given up the first ones. */
const mostAtOnce = 20;
const plainName = "atelier-approval-";

export function createBegunApprovals(base: string): BegunApprovals {
  const cookieOf = (uid: string) => hostCookie(base, `${plainName}${uid}`);
  const prefix = cookieOf("").name;
  const uidsIn = (header: string): string[] =>
    header
      .split(";")
      .map((pair) => pair.split("=", 1)[0]?.trim() ?? "")
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length));
  return {
    async remember(ctx, next) {
      await next();
      const uid = /^\/consent\/([\w-]+)$/.exec(ctx.response.get("location") || "")?.[1];
      if (ctx.status !== 303 || uid === undefined) return;
      // A browser sends the oldest first.
      const before = uidsIn(ctx.get("cookie"));
      const stale = before.slice(0, Math.max(0, before.length + 1 - mostAtOnce));
      ctx.append("set-cookie", [
        ...stale.map((one) => cookieOf(one).clear()),
        cookieOf(uid).set("1", approvalLifetime / 1000),
      ]);
    },
    has: (req, uid) => cookieOf(uid).read(req.headers.cookie) !== undefined,
    forget: (res, uid) => void res.appendHeader("set-cookie", cookieOf(uid).clear()),
  };
}
