/** How each of the common clients is told about this server. */
export interface Guide {
  name: string;
  /** Runs somewhere else than on the person's own machine, so it must be able to reach this server from there. */
  isRemote: boolean;
  steps: readonly Step[];
}

/** One thing to do; a link that does it, or what is to be copied for it. */
interface Step {
  text: string;
  copy?: { label: string; text: string };
  open?: { label: string; href: string };
}

export function guidesFor(address: string): readonly Guide[] {
  const json = (value: unknown): string => JSON.stringify(value, null, 2);
  const approve: Step = { text: "Your browser opens this server: sign in, look at what is asked, and approve." };
  return [
    {
      name: "Claude",
      isRemote: true,
      steps: [
        { text: "In Claude, open Settings, then Connectors, and choose Add custom connector." },
        { text: "Name it Atelier and paste the address.", copy: { label: "address for Claude", text: address } },
        { text: `Choose Connect. ${approve.text}` },
      ],
    },
    {
      name: "Claude Code",
      isRemote: false,
      steps: [
        {
          text: "Run this in a terminal.",
          copy: { label: "command for Claude Code", text: `claude mcp add --transport http atelier ${address}` },
        },
        { text: "Start claude, type /mcp, choose atelier and Authenticate." },
        approve,
      ],
    },
    {
      name: "ChatGPT",
      isRemote: true,
      steps: [
        { text: "In ChatGPT, open Settings, then Connectors, then Advanced, and turn on Developer mode." },
        {
          text: "Back in Connectors, choose Create, name it Atelier, paste the address and leave authentication at OAuth.",
          copy: { label: "address for ChatGPT", text: address },
        },
        approve,
        { text: "In a chat, turn Atelier on under the plus sign." },
      ],
    },
    {
      name: "Cursor",
      isRemote: false,
      steps: [
        {
          text: "Open this link; Cursor asks whether to add the server. Or put the lines below it into ~/.cursor/mcp.json.",
          open: {
            label: "Add to Cursor",
            href: `cursor://anysphere.cursor-deeplink/mcp/install?name=atelier&config=${encodeURIComponent(btoa(JSON.stringify({ url: address })))}`,
          },
          copy: { label: "configuration for Cursor", text: json({ mcpServers: { atelier: { url: address } } }) },
        },
        { text: `In Cursor’s MCP settings, choose Connect next to atelier. ${approve.text}` },
      ],
    },
    {
      name: "VS Code",
      isRemote: false,
      steps: [
        {
          text: "Open this link; VS Code asks whether to add the server. Or put the lines below it into .vscode/mcp.json of a project.",
          open: {
            label: "Add to VS Code",
            href: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: "atelier", type: "http", url: address }))}`,
          },
          copy: {
            label: "configuration for VS Code",
            text: json({ servers: { atelier: { type: "http", url: address } } }),
          },
        },
        { text: `Start the server from the list of MCP servers and allow the sign-in. ${approve.text}` },
      ],
    },
    {
      name: "Codex",
      isRemote: false,
      steps: [
        {
          text: "Run this in a terminal. If it does not open a browser, run codex mcp login atelier after it.",
          copy: { label: "command for Codex", text: `codex mcp add atelier --url ${address}` },
        },
        approve,
        { text: "Start codex; /mcp lists atelier." },
      ],
    },
    {
      name: "Gemini CLI",
      isRemote: false,
      steps: [
        {
          text: "Run this in a terminal.",
          copy: {
            label: "command for Gemini CLI",
            text: `gemini mcp add --scope user --transport http atelier ${address}`,
          },
        },
        {
          text: "Start gemini and enter this.",
          copy: { label: "command inside Gemini CLI", text: "/mcp auth atelier" },
        },
        approve,
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
            text: `opencode mcp add atelier --url ${address}\nopencode mcp auth atelier`,
          },
        },
        approve,
        { text: "Start opencode; opencode mcp list shows atelier as connected." },
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
          text: "Choose Streamable HTTP as transport, paste the address, and connect.",
          copy: { label: "address for the Inspector", text: address },
        },
        approve,
      ],
    },
  ];
}
