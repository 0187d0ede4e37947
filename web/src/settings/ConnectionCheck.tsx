import { CircleAlert, CircleCheck, CircleMinus, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { CheckError, runChecks, type Check, type CheckResult } from "#portable/checks.ts";
import { createConnectionChecks } from "#portable/connection-checks.ts";
import { Button } from "../ui/Button.tsx";
import { List } from "../ui/List.tsx";
import { Section } from "../ui/Section.tsx";

const icons = {
  ok: [CircleCheck, "text-success", "OK"],
  warning: [TriangleAlert, "text-warning", "Warning"],
  failed: [CircleAlert, "text-danger", "Failed"],
  skipped: [CircleMinus, "text-muted", "Skipped"],
} as const;

const maxOffsetSeconds = 60;

const clockCheck: Check = {
  name: "clock",
  async run() {
    const { headers } = await fetch("/healthz", { cache: "no-store" });
    const offset = Math.round((Date.parse(headers.get("date") ?? "") - Date.now()) / 1000);
    if (Math.abs(offset) <= maxOffsetSeconds) return "The clocks of the server and of this device agree.";
    throw new CheckError(
      `The clocks of the server and of this device differ by ${Math.abs(offset)} s.`,
      "Synchronize the clock that is wrong.",
    );
  },
};

/** The checks of `npm run doctor` that a browser can make: only it sees the server from where its user is. */
export function ConnectionCheck() {
  const [results, setResults] = useState<readonly CheckResult[]>([]);
  const [isRunning, setIsRunning] = useState(false);

  async function run(): Promise<void> {
    setResults([]);
    setIsRunning(true);
    const checks = createConnectionChecks({
      base: location.origin,
      fetch: (url, init) => fetch(url, { ...init, credentials: "omit" }),
      explainNoResponse: () =>
        new CheckError(
          "This browser got no response, or only part of it.",
          "Check whether the server runs, and whether its proxy closes connections.",
        ),
    });
    await runChecks([...checks, clockCheck], (result) => setResults((earlier) => [...earlier, result]));
    setIsRunning(false);
  }

  const areAllOk = !isRunning && results.length > 0 && results.every(({ status }) => status === "ok");
  return (
    <div id="connection">
      <Section title="Connection">
        <p className="mt-0 max-w-[38rem]">
          If AI clients can’t connect, check what this browser sees of the server. AI clients run elsewhere, so a bot
          filter may still stop them: <code>npm run doctor</code> on the server checks more.
        </p>
        <p>
          <Button variant="secondary" onClick={() => void run()} busyLabel={isRunning && "Checking…"}>
            Check the connection
          </Button>
        </p>
        <div role="status">{areAllOk && "This browser found no problem."}</div>
        <List aria-label="Connection checks" className="mt-3">
          {results.map((result) => (
            <ResultRow key={result.name} result={result} />
          ))}
        </List>
      </Section>
    </div>
  );
}

function ResultRow({ result: { status, message, advice } }: { result: CheckResult }) {
  const [Icon, color, label] = icons[status];
  return (
    <li className="flex gap-2.5 py-2.5">
      <Icon size={18} className={`mt-0.5 flex-none ${color}`} aria-label={label} role="img" />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p className="m-0">{message}</p>
        {advice !== "" && <p className="m-0 text-sm text-muted">{advice}</p>}
      </div>
    </li>
  );
}
