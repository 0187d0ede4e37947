import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";

/** Writes a line for each failed test. `npm test` prints them last, because each phase prints thousands of lines. */
export default async function* reportFailedTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== "test:fail") continue;
    const { name, file, line, details } = event.data;
    const { error } = details;
    // A suite fails because a test in it failed, which has a line of its own.
    if ((error as { failureType?: string }).failureType === "subtestsFailed") continue;
    const { message } = error.cause instanceof Error ? error.cause : error;
    const reason = message.replaceAll(/\s+/g, " ").slice(0, 2000);
    yield `  ${relative(process.cwd(), file ?? "")}:${line ?? 0}  ${name}: ${reason}\n`;
  }
}
