/**
 * Benchmark server: Atelier's tools and domain functions behind the MCP SDK's documented setup, a handler that creates
 * a server per request.
 */
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, McpServer, requireBearerAuth } from "@modelcontextprotocol/server";
import { createAuthenticator } from "#auth/authenticate.ts";
import { type Authentication, toCaller } from "#domain/model/authentication.ts";
import { tools } from "#mcp/tool-list.ts";
import { openDeps, serve, silentLog } from "./setup.ts";

const { deps } = await openDeps();
const authenticate = createAuthenticator(deps, silentLog);

const authorizeRequest = requireBearerAuth({
  verifier: {
    async verifyAccessToken(token) {
      const authentication = await authenticate(token, undefined);
      if (!authentication) throw new Error("invalid token");
      return {
        token,
        clientId: authentication.client.id,
        scopes: [...authentication.scopes],
        expiresAt: Math.floor(Date.now() / 1000) + 60,
        extra: { authentication },
      };
    },
  },
  requiredScopes: [],
});

const handler = createMcpHandler(({ authInfo }) => {
  const server = new McpServer({ name: "atelier", title: "Atelier", version: "0.0.0" });
  const authentication = authInfo?.extra?.["authentication"] as Authentication;
  if (!authentication.membership) throw new Error("no membership");
  const caller = toCaller(authentication, authentication.membership);
  for (const tool of tools) {
    server.registerTool(
      tool.name,
      { title: tool.title, description: tool.description, inputSchema: tool.input, outputSchema: tool.output },
      async (input: unknown) => {
        const output: Record<string, unknown> = {
          ...(await tool.run(deps, caller, input as never, { getSignal: () => new AbortController().signal })),
        };
        return {
          content: [{ type: "text" as const, text: JSON.stringify(output) }],
          structuredContent: output,
        };
      },
    );
  }
  return server;
});

const listener = getRequestListener(async (request) => {
  const authInfo = await authorizeRequest(request);
  return authInfo instanceof Response ? authInfo : handler.fetch(request, { authInfo });
});
serve((req, res) => void listener(req, res));
