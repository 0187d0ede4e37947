// The page of a strict host of in-chat apps (MCP Apps, 2026-01-26), which test/support/app-host.ts serves.
const { capabilities, context, toolInput, toolResult, appTools } = JSON.parse(
  document.querySelector("#settings").textContent,
);
const frame = document.querySelector("iframe");

/** Records for the tests: messages of the app (`messages`), messages to it (`sentMessages`), and its requests. */
window.messages = [];
window.toolCalls = [];
window.openedLinks = [];
window.sentMessages = [];

const send = (message) => {
  window.sentMessages.push(message);
  frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
};
window.sendToApp = send;

const handlers = {
  "ui/initialize": () => ({
    protocolVersion: "2026-01-26",
    hostInfo: { name: "strict-host", version: "1" },
    hostCapabilities: capabilities,
    hostContext: context,
  }),
  async "tools/call"(params) {
    window.toolCalls.push(params);
    // Apps may call only the tools that are visible to them.
    if (!appTools.includes(params.name)) throw Object.assign(new Error("Unknown tool"), { code: -32602 });
    const response = await fetch("/rpc", {
      method: "POST",
      body: JSON.stringify({ method: "tools/call", params }),
    });
    return response.json();
  },
  "ui/open-link"({ url }) {
    window.openedLinks.push(url);
    return {};
  },
  "ui/update-model-context": () => ({}),
};

window.addEventListener("message", async ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  window.messages.push(data);
  const { id, method, params } = data;
  if (method === "ui/notifications/initialized") {
    frame.style.visibility = "visible";
    if (toolInput) send({ method: "ui/notifications/tool-input", params: { arguments: toolInput } });
    if (toolResult) send({ method: "ui/notifications/tool-result", params: toolResult });
  }
  if (method === "ui/notifications/size-changed") frame.style.height = `${params.height}px`;
  if (id === undefined || method === undefined) return;
  try {
    if (!handlers[method]) throw Object.assign(new Error("Method not found"), { code: -32601 });
    send({ id, result: await handlers[method](params) });
  } catch (error) {
    send({ id, error: { code: error.code ?? -32603, message: error.message } });
  }
});
frame.src = "/app";
