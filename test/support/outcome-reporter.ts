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
  const startedFiles = new Map<string, string[]>();
  for await (const event of events) {
    // `defineFiles` names the outermost suite after the test file.
    if (event.type === "test:start" && event.data.nesting === 0) {
      const [entryFile, { name }] = [readEntryFile(event.data), event.data];
      // The runner also reports a process that failed, under the name of its file.
      if (name !== entryFile) startedFiles.set(entryFile, [...(startedFiles.get(entryFile) ?? []), name]);
    }
    if (event.type === "test:stderr" && event.data.message.trim() !== "")
      lastErrorOutput.set(resolve(event.data.file), event.data.message);
    if (event.type !== "test:fail" && event.type !== "test:pass") continue;
    const { name, file = "", line = 0, skip, details } = event.data;
    const definingFile = relative(process.cwd(), file);
    const processFiles = startedFiles.get(readEntryFile(event.data)) ?? [];
    const testFile = processFiles.at(-1) ?? definingFile;
    // A suite that `forEachEngine` defines has its line there.
    const location = testFile === definingFile ? `${testFile}:${line}` : testFile;
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
    // The process of some files failed, and only its output says why.
    const output = `${processFiles.join(", ")}: ${lastErrorOutput.get(resolve(file)) ?? ""}`;
    yield report("failed", error.exitCode === undefined ? message : `${message}, in the process of ${output}`);
  }
}

/** The file that the runner started, which imports test files or is one. */
const readEntryFile = (data: { file?: string; entryFile?: string }): string => data.entryFile ?? data.file ?? "";
