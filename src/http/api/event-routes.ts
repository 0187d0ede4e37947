import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { AppError } from "#lib/errors.ts";
import { openEventStream } from "#mcp/transport/event-stream.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";

/**
 * The event stream of a page. `ready`: what the page has read may be old. `changes`: these objects changed. `heartbeat`:
 * the connection is alive. A page that reconnects gets `ready` again, so the server stores nothing per stream.
 */
export function createEventRoutes({ pageFeed, streamSlots }: ApiOptions) {
  return new Hono<StudioEnv>().get("/events", (c) => {
    const { user, studio, credential } = c.var.caller;
    if (credential.kind !== "session") throw new AppError("unauthenticated");
    const { tokenHash } = credential;
    const slot = streamSlots.take(tokenHash, user.id);
    if (!slot) throw new AppError("rate_limited:streams", undefined, { retryAfter: 15 });
    const res = c.env.outgoing;
    const stream = openEventStream(res, { heartbeat: "heartbeat" });
    slot.end = () => stream.end();
    const removeFromFeed = pageFeed.add({
      tokenHash,
      userId: user.id,
      studioId: studio.id,
      announce(objects) {
        if (objects) stream.send(JSON.stringify({ objects }), "changes");
        else stream.send("{}", "ready");
      },
      end: slot.end,
    });
    stream.onClose(() => {
      removeFromFeed();
      slot.release();
    });
    // Changes from now on are announced; those that the page's earlier reads missed may be in the database already.
    stream.send("{}", "ready");
    if (streamSlots.isClosed) slot.end();
    return RESPONSE_ALREADY_SENT;
  });
}
