import { listenForNotifications } from "#db/notifications.ts";
import { startPublishingWorker } from "#domain/jobs/publishing/worker.ts";
import { openPublishingDeps } from "./publish-setup.ts";
import { serve, silentLog } from "./setup.ts";

/** The publishing worker alone. The HTTP server only reports the process's CPU time. */
const { deps, databaseUrl } = await openPublishingDeps();
const worker = startPublishingWorker(deps, {
  concurrency: 8,
  onError: (error) => process.stderr.write(`${String(error)}\n`),
});
if (databaseUrl !== undefined)
  listenForNotifications({
    url: databaseUrl,
    handlers: { publications_due: () => worker.wake() },
    log: silentLog,
  });
serve((_req, res) => res.end());
