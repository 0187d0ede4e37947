import { relative, resolve } from "node:path";
import type { TestEvent } from "node:test/reporters";

/** A test, or a suite that failed or was skipped. */
export interface ReportedTest {
  outcome: "passed" | "failed" | "skipped";
  location: string;
  name: string;
  reason: string;
  seconds: number;
}

/** Writes a line of JSON for each test. `npm test` prints failed and skipped ones last, because it prints thousands of lines. */
export default async function* reportOutcomes(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const lastErrorOutput = new Map<string, string>();
  for await (const event of events) {
    if (event.type === "test:stderr" && event.data.message.trim() !== "")
      lastErrorOutput.set(resolve(event.data.file), event.data.message);
    if (event.type !== "test:fail" && event.type !== "test:pass") continue;
    const {
      name,
      file = "",
      line = 0,
      skip,
      details,
      entryFile = file,
    } = event.data as typeof event.data & { entryFile?: string };
    // A suite that `forEachEngine` defines has its line there.
    const location = `${relative(process.cwd(), entryFile)}${entryFile === file ? `:${line}` : ""}`;
    const report = (outcome: ReportedTest["outcome"], longReason = ""): string => {
      const reason = longReason.replaceAll(/\s+/g, " ").slice(0, 2000);
      const test: ReportedTest = { outcome, location, name, reason, seconds: details.duration_ms / 1000 };
      return `${JSON.stringify(test)}\n`;
    };
    if (event.type === "test:pass") {
      if (skip !== undefined) yield report("skipped", typeof skip === "string" ? skip : "");
      else if (details.type !== "suite") yield report("passed");
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
