import { listen } from "./setup.ts";

/** The least that an open stream costs: `node:http`, the body read, one event, and a timer that keeps it open. */
listen((req, res) => {
  req.resume();
  res.writeHead(200, { "content-type": "text/event-stream" });
  res.write("event: message\ndata: subscriptions/acknowledged\n\n");
  const timer = setInterval(() => res.write(": keepalive\n\n"), 15_000);
  res.on("close", () => clearInterval(timer));
});
