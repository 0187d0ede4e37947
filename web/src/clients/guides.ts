/** How to connect one common AI client to this server. */
export interface Guide {
  name: string;
  /** Whether the client connects from its vendor's servers rather than from the user's machine. */
  isRemote: boolean;
  steps: readonly Step[];
}

/** One instruction, with a link that performs it or text to copy. */
interface Step {
  /** Commands and paths are in backticks. */
  text: string;
  copy?: { label: string; text: string };
  open?: { label: string; href: string };
}

const approveStep: Step = { text: "Your browser opens Atelier: sign in, review the access, and approve." };

/** The most common clients. */
export function createGuides(mcpUrl: string): readonly Guide[] {
  const formatJson = (value: unknown): string => JSON.stringify(value, null, 2);
  return [
    {
      name: "Claude",
      isRemote: true,
      steps: [
        { text: "In Claude, open Settings, then Connectors, and choose Add custom connector." },
        { text: "Name it Atelier and paste the URL.", copy: { label: "URL for Claude", text: mcpUrl } },
        { text: `Choose Connect. ${approveStep.text}` },
      ],
    },
    {
      name: "Claude Code",
      isRemote: false,
      steps: [
        {
          text: "Run this in a terminal.",
          copy: { label: "command for Claude Code", text: `claude mcp add --transport http atelier ${mcpUrl}` },
        },
        { text: "Start Claude Code, type `/mcp`, choose atelier, then Authenticate." },
        approveStep,
      ],
    },
    {
      name: "ChatGPT",
      isRemote: true,
      steps: [
        { text: "In ChatGPT, open Settings, then Connectors, then Advanced, and turn on Developer mode." },
        {
          text: "Back in Connectors, choose Create, name it Atelier, paste the URL and leave authentication set to OAuth.",
          copy: { label: "URL for ChatGPT", text: mcpUrl },
        },
        approveStep,
        { text: "In a chat, turn on Atelier under the plus sign." },
      ],
    },
    {
      name: "Cursor",
      isRemote: false,
      steps: [
        {
          text: "Choose Add to Cursor and confirm there, or add this configuration to `~/.cursor/mcp.json`.",
          open: {
            label: "Add to Cursor",
            href: `cursor://anysphere.cursor-deeplink/mcp/install?name=atelier&config=${encodeURIComponent(btoa(JSON.stringify({ url: mcpUrl })))}`,
          },
          copy: { label: "configuration for Cursor", text: formatJson({ mcpServers: { atelier: { url: mcpUrl } } }) },
        },
        { text: `In Cursor’s MCP settings, choose Connect next to atelier. ${approveStep.text}` },
      ],
    },
    {
      name: "VS Code",
      isRemote: false,
      steps: [
        {
          text: "Choose Add to VS Code and confirm there, or add this configuration to `.vscode/mcp.json` in a project.",
          open: {
            label: "Add to VS Code",
            href: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: "atelier", type: "http", url: mcpUrl }))}`,
          },
          copy: {
            label: "configuration for VS Code",
            text: formatJson({ servers: { atelier: { type: "http", url: mcpUrl } } }),
          },
        },
        { text: `Start the server from the list of MCP servers and allow the sign-in. ${approveStep.text}` },
      ],
    },
    {
      name: "Codex",
      isRemote: false,
      steps: [
        {
          text: "Run this in a terminal. If no browser opens, run `codex mcp login atelier`.",
          copy: { label: "command for Codex", text: `codex mcp add atelier --url ${mcpUrl}` },
        },
        approveStep,
        { text: "Start Codex; `/mcp` lists atelier." },
      ],
    },
  ];
}

/** Less common clients, and general instructions for all others. */
export function createOtherGuides(mcpUrl: string): readonly Guide[] {
  return [
    {
      name: "Gemini CLI",
      isRemote: false,
      steps: [
        {
          text: "Run this in a terminal.",
          copy: {
            label: "command for Gemini CLI",
            text: `gemini mcp add --scope user --transport http atelier ${mcpUrl}`,
          },
        },
        {
          text: "Start Gemini CLI and run this command.",
          copy: { label: "command inside Gemini CLI", text: "/mcp auth atelier" },
        },
        approveStep,
      ],
    },
    {
      name: "OpenCode",
      isRemote: false,
      steps: [
        {
          text: "Run these in a terminal.",
          copy: {
            label: "commands for OpenCode",
            text: `opencode mcp add atelier --url ${mcpUrl}\nopencode mcp auth atelier`,
          },
        },
        approveStep,
        { text: "Start OpenCode; `opencode mcp list` shows atelier as connected." },
      ],
    },
    {
      name: "MCP Inspector",
      isRemote: false,
      steps: [
        {
          text: "Run this in a terminal; a page opens in your browser.",
          copy: { label: "command for the Inspector", text: "npx @modelcontextprotocol/inspector" },
        },
        {
          text: "Choose Streamable HTTP as the transport, paste the URL, and connect.",
          copy: { label: "URL for the Inspector", text: mcpUrl },
        },
        approveStep,
      ],
    },
    {
      name: "Any other client",
      isRemote: false,
      steps: [
        {
          text: "Add a server with the transport Streamable HTTP and this URL. Leave fields for a key or a token empty.",
          copy: { label: "URL for any other client", text: mcpUrl },
        },
        approveStep,
      ],
    },
  ];
}
