import { CLIENT_CAPABILITIES_META_KEY } from "@modelcontextprotocol/server";

type JsonRecord = Record<string, unknown>;

/** The capabilities that a client declares with every request (MCP spec 2026-07-28). Empty if it declares none. */
export const readClientCapabilities = (params: Readonly<JsonRecord>): JsonRecord =>
  toRecord(toRecord(params["_meta"])[CLIENT_CAPABILITIES_META_KEY]);

/** Treats any value that is not an object as an empty one. */
export const toRecord = (value: unknown): JsonRecord =>
  typeof value === "object" && value !== null ? (value as JsonRecord) : {};
