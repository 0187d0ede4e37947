import { oauthProvider } from "@better-auth/oauth-provider";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { toNodeHandler as authNodeHandler } from "better-auth/node";
import { verifyBearerToken } from "better-auth/oauth2";
import { jwt } from "better-auth/plugins";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import type { Caller } from "../../../src/domain/caller.ts";
import { tools } from "../../../src/mcp/tool-list.ts";
import { openDeps } from "../../servers/setup.ts";

/**
 * The same tools and verbs, served with better-auth. Its OAuth provider signs the tokens. A handler verifies them
 * against its keys, looks up the membership, and passes the request to the MCP SDK.
 */
const { deps } = await openDeps();
const base = "http://localhost:3000";
const audience = `${base}/mcp`;
const userId = process.env["BENCH_USER_ID"] ?? "";

const auth = betterAuth({
  baseURL: base,
  secret: "a secret of at least thirty-two bytes",
  database: new DatabaseSync(":memory:"),
  emailAndPassword: { enabled: true },
  telemetry: { enabled: false },
  logger: { disabled: true },
  plugins: [
    jwt(),
    oauthProvider({
      loginPage: "/sign-in",
      consentPage: "/consent",
      validAudiences: [audience],
      silenceWarnings: { oauthAuthServerConfig: true },
    }),
  ],
});
await (await getMigrations(auth.options)).runMigrations();
const { token } = await auth.api.signJWT({
  body: {
    payload: {
      sub: userId,
      aud: audience,
      iss: base,
      azp: "client",
      scope: "studio:read studio:write",
      exp: Math.floor(Date.now() / 1000) + 3600,
    },
  },
});

const handler = createMcpHandler(({ authInfo }) => {
  const server = new McpServer({ name: "atelier", version: "0.0.0" });
  const caller = authInfo?.extra?.["caller"] as Caller;
  for (const tool of tools) {
    server.registerTool(
      tool.name,
      { title: tool.title, description: tool.description, inputSchema: tool.input, outputSchema: tool.output },
      async (input: unknown) => {
        const output: Record<string, unknown> = {
          ...(await tool.run(deps, caller, input as never, { getSignal: () => new AbortController().signal })),
        };
        return { content: [{ type: "text" as const, text: JSON.stringify(output) }], structuredContent: output };
      },
    );
  }
  return server;
});

let jwksUrl = "";
const mcp = toNodeHandler({
  async fetch(request: Request): Promise<Response> {
    const bearer = request.headers.get("authorization")?.slice(7) ?? "";
    const claims = await verifyBearerToken(bearer, { jwksUrl, verifyOptions: { issuer: base, audience } });
    const [membership] = await deps.users.listMemberships(String(claims.sub));
    if (!membership) return new Response("No studio membership", { status: 403 });
    const user = { id: String(claims.sub), name: "", email: null };
    const caller: Caller = {
      user,
      studio: { id: membership.studioId, name: membership.studioName },
      role: membership.role,
      scopes: ["studio:read", "studio:write"],
    };
    const authInfo = {
      token: bearer,
      clientId: String(claims["azp"]),
      scopes: caller.scopes as string[],
      expiresAt: Number(claims.exp),
      extra: { caller },
    };
    return handler.fetch(request, { authInfo });
  },
});
const pages = authNodeHandler(auth);
const server = createServer((req, res) => void (req.url === "/mcp" ? mcp(req, res) : pages(req, res)));
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  jwksUrl = `http://127.0.0.1:${port}/api/auth/jwks`;
  process.send?.({ url: `http://127.0.0.1:${port}/mcp`, token });
});
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system });
});
process.on("disconnect", () => process.exit(0));
