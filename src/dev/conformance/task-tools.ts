import { ProtocolError } from "@modelcontextprotocol/server";
import { setTimeout as sleep } from "node:timers/promises";
import { toRecord } from "#mcp/protocol/client-capabilities.ts";
import { errorCodes } from "#mcp/protocol/messages.ts";
import { requireTasks, supportsTasks } from "#mcp/tasks/tasks-extension.ts";
import { createTool, type FixtureTool } from "./fixture-tool.ts";
import { createElicitation, readElicitation, requireInput } from "./input-required.ts";
import { toTextResult } from "./meta.ts";

/** The conformance suite's tools for the tasks extension (SEP-2663). They use the product's own tasks. */
export function createTaskTools(): FixtureTool[] {
  return [
    createTool("greet", (_, { name }) => toTextResult(`Hello, ${String(name)}!`), { name: { type: "string" } }),
    createTool(
      "slow_compute",
      async (exchange, { seconds = 0, label }) => {
        const compute = async (signal: AbortSignal) => {
          await sleep(Number(seconds) * 1000, undefined, { signal, ref: false });
          return toTextResult(`Computed ${String(label)}`);
        };
        return supportsTasks(exchange) ? ({ signal }) => compute(signal) : compute(exchange.getSignal());
      },
      { seconds: { type: "number" }, label: { type: "string" } },
    ),
    createTool("failing_job", (exchange) => {
      requireTasks(exchange);
      return async () => ({ ...toTextResult("This job always fails"), isError: true });
    }),
    createTool("protocol_error_job", (exchange) => {
      requireTasks(exchange);
      return () => Promise.reject(new ProtocolError(errorCodes.internal, "This job ends with a protocol error"));
    }),
    createTool(
      "confirm_delete",
      (exchange, { filename }) => {
        requireTasks(exchange);
        return async ({ requestInput }) => {
          const requests = { confirm: createElicitation(`Delete ${String(filename)}?`, "confirm", "boolean") };
          const content = toRecord(toRecord((await requestInput(requests))["confirm"])["content"]);
          return toTextResult(content["confirm"] === true ? `Deleted ${String(filename)}` : "Nothing was deleted");
        };
      },
      { filename: { type: "string" } },
    ),
    createTool("multi_input", (exchange) => {
      requireTasks(exchange);
      return async ({ requestInput }) => {
        const requests = { first: createElicitation("First?", "name"), second: createElicitation("Second?", "name") };
        return toTextResult(`Received ${Object.keys(await requestInput(requests)).join(" and ")}`);
      };
    }),
    createTool("test_tool_with_task", (exchange) => {
      requireTasks(exchange);
      const name = readElicitation(exchange, "user_name")?.["name"];
      if (typeof name !== "string") return requireInput({ user_name: createElicitation("What is your name?", "name") });
      return async () => toTextResult(`Task of ${name}`);
    }),
  ];
}
