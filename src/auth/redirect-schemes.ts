/**
 * MCP clients whose redirect scheme has no dot. Extensions of editors based on VS Code redirect to the editor's scheme.
 * Add a client here once its redirect URI is known from its source or documentation.
 */
const clientNameByScheme: Readonly<Record<string, string>> = {
  antigravity: "Google Antigravity",
  claude: "Claude",
  "code-oss": "Code - OSS",
  cursor: "Cursor",
  goose: "Goose",
  jetbrains: "JetBrains IDEs",
  kiro: "Kiro",
  mcpjam: "MCPJam Inspector",
  positron: "Positron",
  raycast: "Raycast",
  trae: "Trae",
  vscode: "Visual Studio Code",
  "vscode-insiders": "Visual Studio Code Insiders",
  vscodium: "VSCodium",
  warp: "Warp",
  windsurf: "Windsurf",
  "windsurf-next": "Windsurf Next",
  zed: "Zed",
};

/** A domain name in reverse order, as the app's vendor owns it. */
const reverseDomainPattern = /^[a-z][a-z0-9]*(?:\.[a-z0-9-]+)+$/;

/** Parts of an operating system that have a dot as well, such as `microsoft.windows.camera:`. */
const systemSchemePattern = /^(?:com\.apple|microsoft|windows)\./;

/**
 * Whether a native client may redirect to this private-use scheme (RFC 8252 §7.1). An allowlist: `javascript:` runs
 * code, `microsoft-edge:` and `shell:` start programs, and no list of such schemes is complete.
 */
export function isClientScheme(scheme: string): boolean {
  return (
    Object.hasOwn(clientNameByScheme, scheme) ||
    (reverseDomainPattern.test(scheme) && !systemSchemePattern.test(scheme))
  );
}
