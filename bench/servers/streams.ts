import { serve } from "./setup.ts";

/** The baseline for an open stream: `node:http`, one event, and a keepalive timer. */
serve((req, res) => {
  req.resume();
  res.writeHead(200, { "content-type": "text/event-stream" });
  res.write("event: message\ndata: subscriptions/acknowledged\n\n");
  const timer = setInterval(() => res.write(": keepalive\n\n"), 15_000);
  res.on("close", () => clearInterval(timer));
});
