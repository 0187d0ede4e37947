import type { Exchange, Result } from "#mcp/protocol/method.ts";
import type { FixtureTaskWork } from "./task-inputs.ts";

/** A tool that reads raw arguments and returns raw protocol results. */
export interface FixtureTool {
  listing: { name: string; description: string; inputSchema: object };
  call(exchange: Exchange, args: Record<string, unknown>): FixtureOutcome | Promise<FixtureOutcome>;
}

/** The result of the call, or a function that runs the call as a task. */
export type FixtureOutcome = Result | FixtureTaskWork;

export function createTool(
  name: string,
  call: FixtureTool["call"],
  properties: Record<string, unknown> = {},
): FixtureTool {
  return {
    listing: {
      name,
      description: `Fixture of the MCP conformance suite: ${name}`,
      inputSchema: { type: "object", properties },
    },
    call,
  };
}
