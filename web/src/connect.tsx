import { useRef, useState } from "react";

/** How an AI client finds this server. */
export function Connect() {
  const address = `${location.origin}/mcp`;
  return (
    <section className="row" aria-labelledby="connect">
      <h2 id="connect">Connect a client</h2>
      <div className="lines">
        <CopyLine label="MCP address" text={address} />
        <CopyLine label="Claude Code" text={`claude mcp add --transport http atelier ${address}`} />
      </div>
    </section>
  );
}

function CopyLine({ label, text }: { label: string; text: string }) {
  const code = useRef<HTMLElement>(null);
  const [said, setSaid] = useState("");

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      // Without https the browser keeps its clipboard closed; selected text can still be copied by hand.
      if (code.current) getSelection()?.selectAllChildren(code.current);
      setSaid("Selected: now press Ctrl+C or ⌘C");
    }
    setTimeout(() => setSaid(""), 4000);
  }

  return (
    <div className="line">
      <p className="label">
        {label}
        <span className="said" role="status">
          {said}
        </span>
      </p>
      <code ref={code}>{text}</code>
      <button type="button" className="quiet" onClick={() => void copy()} aria-label={`Copy ${label}`}>
        Copy
      </button>
    </div>
  );
}
