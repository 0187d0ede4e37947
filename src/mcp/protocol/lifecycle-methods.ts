import {
  isInitializeRequest,
  SERVER_INFO_META_KEY,
  type Implementation,
  type ServerCapabilities,
} from "@modelcontextprotocol/server";
import { moveGrant } from "#domain/access/clients.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { declaresApps } from "../chat-app/apps-extension.ts";
import type { Method } from "./method.ts";
import { createInvalidParamsError, isLegacyVersion, legacyVersions, modernVersion, type Era } from "./messages.ts";
import { skillsExtension } from "../skills.ts";
import { tasksExtension } from "../tasks/tasks-extension.ts";
import type { SessionIdCodec } from "../transport/session-id.ts";

/**
 * `initialize` (legacy) and `server/discover` (modern), which both bind the client to the user's active studio, and
 * `ping`.
 */
export function createLifecycleMethods(
  deps: Deps,
  serverInfo: Implementation,
  capabilities: ServerCapabilities,
  sessionIdCodec: SessionIdCodec,
  getInstructions: (caller: Caller) => string,
): [string, Method][] {
  return [
    [
      "initialize",
      {
        era: "legacy",
        startsSession: true,
        handle(exchange) {
          const { params, caller, authentication } = exchange;
          if (!isInitializeRequest({ method: "initialize", params })) {
            throw createInvalidParamsError("initialize requires protocolVersion, capabilities and clientInfo");
          }
          const requestedVersion = String(params["protocolVersion"]);
          // MCP spec 2025-11-25, Lifecycle: respond to an unknown version with our latest. The client may disconnect.
          const protocolVersion = isLegacyVersion(requestedVersion) ? requestedVersion : legacyVersions[0];
          exchange.setHeader(
            "mcp-session-id",
            sessionIdCodec.encode({
              grantId: authentication.grantId,
              studioId: caller.studio.id,
              protocolVersion,
              supportsApps: declaresApps(params["capabilities"]),
            }),
          );
          return { protocolVersion, capabilities, serverInfo, instructions: getInstructions(caller) };
        },
      },
    ],
    [
      "server/discover",
      {
        era: "modern",
        startsSession: true,
        // Not cacheable: a client that reconnects calls this again to get the active studio.
        ttlMs: 0,
        async handle({ caller, authentication }) {
          if (authentication.grantStudioId !== caller.studio.id)
            await moveGrant(deps, caller, { grantId: authentication.grantId });
          const extensions = { ...capabilities.extensions, [tasksExtension]: {}, [skillsExtension]: {} };
          return {
            supportedVersions: [modernVersion],
            capabilities: { ...capabilities, extensions },
            instructions: getInstructions(caller),
          };
        },
      },
    ],
    ["ping", { era: "legacy", handle: () => ({}) }],
  ];
}

/** Formats the metadata of every result as JSON members: the studio and, in the modern era, the server info. */
export function createResultMetaFormatter(serverInfo: Implementation): (era: Era, caller: Caller) => string {
  const serverInfoJson = `${JSON.stringify(SERVER_INFO_META_KEY)}:${JSON.stringify(serverInfo)},`;
  return (era, { studio }) =>
    `${era === "modern" ? serverInfoJson : ""}"atelier/studio":{"id":${JSON.stringify(studio.id)},"name":${JSON.stringify(studio.name)}}`;
}
