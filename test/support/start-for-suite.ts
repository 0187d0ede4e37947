import { after, before } from "node:test";

/**
 * Starts something before the tests of the suite that calls this, and closes it after them. Its fields are set before
 * the first test, so only tests and later hooks may read them.
 */
export function startForSuite<Started extends { close(): Promise<void> }>(start: () => Promise<Started>): Started {
  const started = {} as Started;
  before(async () => void Object.defineProperties(started, Object.getOwnPropertyDescriptors(await start())));
  after(() => (started.close as Started["close"] | undefined)?.());
  return started;
}
