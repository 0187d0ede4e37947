import { sha256 } from "#lib/digest.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { listPosts, listPostsInput } from "#domain/posts/list-posts.ts";
import { toCaller } from "#domain/model/authentication.ts";
import { openDeps, serve } from "./setup.ts";

/** The baseline: `node:http` with the same two database statements and the same JSON, and nothing else. */
const { deps } = await openDeps();
const serverInfo = { name: "atelier", title: "Atelier", version: "0.0.0", websiteUrl: deps.baseUrl };

serve((req, res) => {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", () => void respond(Buffer.concat(chunks)));

  async function respond(bytes: Buffer): Promise<void> {
    const { id, params } = JSON.parse(bytes.toString()) as {
      id: number;
      params: { name: string; arguments: { postId: string } };
    };
    const token = String(req.headers.authorization).slice(7);
    const resolvedToken = await deps.tokens.resolve(sha256(token), `${deps.baseUrl}/mcp`, undefined, deps.clock());
    if (!resolvedToken?.authentication.membership) return void res.writeHead(401).end();
    const caller = toCaller(resolvedToken.authentication, resolvedToken.authentication.membership);
    const output =
      params.name === "get_post"
        ? await getPost(deps, caller, params.arguments)
        : await listPosts(deps, caller, listPostsInput.parse(params.arguments));
    const text = JSON.stringify({
      jsonrpc: "2.0",
      id,
      result: {
        content: [{ type: "text", text: JSON.stringify(output) }],
        structuredContent: output,
        resultType: "complete",
        _meta: { "io.modelcontextprotocol/serverInfo": serverInfo, "atelier/studio": caller.studio },
      },
    });
    res.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    res.end(text);
  }
});
