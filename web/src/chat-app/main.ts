import { createElement } from "../upload/dom.ts";
import { createApp, type App } from "./app.ts";
import { applyContext } from "./apply-context.ts";
import { connectToHost } from "./host.ts";
import { selectLanguage } from "./strings.ts";

/** Entry point of the in-chat app, in a sandboxed frame of a chat. */
async function start(root: HTMLElement): Promise<void> {
  if (window.parent === window) {
    const { strings } = selectLanguage(undefined);
    root.replaceChildren(createElement("p", { className: "m-0", textContent: strings.notInChat }));
    return;
  }
  /** The host may send the tool's input before the app is created. */
  const earlyEvents: ((target: App) => void)[] = [];
  let deliver = (event: (target: App) => void): void => void earlyEvents.push(event);
  const host = await connectToHost({
    onContext(context) {
      applyContext(context);
      deliver((target) => target.setContext(context));
    },
    onToolInput: (args) => deliver((target) => target.setToolInput(args)),
    onToolResult: (result) => deliver((target) => target.setToolResult(result)),
    onToolCancelled: () => deliver((target) => target.setToolCancelled()),
    onTeardown: () => deliver((target) => target.destroy()),
  });
  const app = createApp(root, host);
  for (const event of earlyEvents) event(app);
  deliver = (event) => event(app);
}

const main = document.querySelector("main");
if (main) void start(main);
