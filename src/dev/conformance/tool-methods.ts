import { toRecord } from "#mcp/protocol/client-capabilities.ts";
import type { Exchange, Method, Result } from "#mcp/protocol/method.ts";
import type { FixtureTool } from "./fixture-tool.ts";
import type { FixtureTaskWork } from "./task-inputs.ts";

/** Lists the fixtures after the tools of the product. */
export const extendToolList = (method: Method, tools: readonly FixtureTool[]): Method => ({
  ...method,
  async handle(exchange) {
    // The product's list is already serialized.
    const listJson = (await method.handle(exchange)) as string;
    return `${listJson.slice(0, -1)},${tools.map(({ listing }) => JSON.stringify(listing)).join(",")}]`;
  },
});

export const extendToolCall = (
  method: Method,
  tools: readonly FixtureTool[],
  startTask: (exchange: Exchange, tool: string, work: FixtureTaskWork) => Promise<Result>,
): Method => ({
  ...method,
  async handle(exchange) {
    const tool = tools.find(({ listing }) => listing.name === exchange.params["name"]);
    if (!tool) return method.handle(exchange);
    const outcome = await tool.call(exchange, toRecord(exchange.params["arguments"]));
    return typeof outcome === "function" ? startTask(exchange, tool.listing.name, outcome) : outcome;
  },
});
