import { relative, resolve } from "node:path";
import type { TestEvent } from "node:test/reporters";

/** A test or suite that failed or was skipped. */
export interface ReportedTest {
  outcome: "failed" | "skipped";
  location: string;
  name: string;
  reason: string;
}

/** Writes a line of JSON for each failed or skipped test. `npm test` prints them last, because each phase prints thousands of lines. */
export default async function* reportOutcomes(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const lastErrorOutput = new Map<string, string>();
  for await (const event of events) {
    if (event.type === "test:stderr" && event.data.message.trim() !== "")
      lastErrorOutput.set(resolve(event.data.file), event.data.message);
    if (event.type !== "test:fail" && (event.type !== "test:pass" || event.data.skip === undefined)) continue;
    const {
      name,
      file = "",
      line = 0,
      skip,
      entryFile = file,
    } = event.data as typeof event.data & { entryFile?: string };
    // A suite that `forEachEngine` defines has its line there.
    const location = `${relative(process.cwd(), entryFile)}${entryFile === file ? `:${line}` : ""}`;
    const report = (outcome: ReportedTest["outcome"], reason: string) =>
      `${JSON.stringify({ outcome, location, name, reason: reason.replaceAll(/\s+/g, " ").slice(0, 2000) })}\n`;
    if (event.type === "test:pass") {
      yield report("skipped", typeof skip === "string" ? skip : "");
      continue;
    }
    const error = event.data.details.error as Error & { failureType?: string; exitCode?: number };
    // A suite fails because a test in it failed, which has a line of its own.
    if (error.failureType === "subtestsFailed") continue;
    const { message } = error.cause instanceof Error ? error.cause : error;
    // The process of a file failed, and only its output says why.
    yield report("failed", error.exitCode === undefined ? message : `${message}: ${lastErrorOutput.get(file) ?? ""}`);
  }
}
