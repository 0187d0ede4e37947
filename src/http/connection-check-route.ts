import { seconds } from "#lib/clock.ts";
import { openEventStream } from "#mcp/transport/event-stream.ts";
import { checkedHeaders, connectionCheckPath, streamEvents } from "#portable/connection-checks.ts";
import { edgeError } from "#lib/errors.ts";
import { requireMethod } from "./oauth-routes.ts";
import type { Route } from "./server.ts";

/** A stream through a buffering proxy is noticed at its end; the others are closed by the client at once. */
const streamMs = seconds(5);
const maxOpenStreams = 50;

/** Shows `npm run doctor` and the web app which headers arrive, and whether a proxy buffers streams. Public. */
export function createConnectionCheckRoute(): Route {
  let openStreams = 0;
  return {
    path: connectionCheckPath,
    originRule: "own",
    isDataOnly: true,
    handle: requireMethod("POST", (req, res) => {
      if (openStreams >= maxOpenStreams) throw edgeError("rate_limited", "Too many connection checks are running.");
      openStreams++;
      const stream = openEventStream(res);
      const timer = setTimeout(() => {
        stream.send("{}", streamEvents.last);
        stream.end();
      }, streamMs);
      stream.onClose(() => {
        clearTimeout(timer);
        openStreams--;
      });
      const received = Object.keys(checkedHeaders).filter((name) => req.headers[name] !== undefined);
      stream.send(JSON.stringify(received), streamEvents.first);
    }),
  };
}
