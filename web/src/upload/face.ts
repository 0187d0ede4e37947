import { withoutLitter } from "./choose.ts";
import { el, quietButton, say, show } from "./dom.ts";
import { createDrop } from "./drop.ts";
import { createFormat } from "./format.ts";
import type { Language } from "./languages.ts";
import { listenForFiles } from "./listen.ts";
import { createRow, type Row } from "./row.ts";
import { fill } from "./strings.ts";
import type { Chosen, Item, Status } from "./item.ts";
import type { Uploader } from "./uploader.ts";

export interface FaceOptions {
  uploader: Uploader;
  language: Language;
  /** Types and endings that a file dialog offers. */
  accepts: readonly string[];
  /** The address to continue at on a phone. */
  phone?: string | undefined;
}

export interface Face {
  /** Says something above the list, until told otherwise. */
  notice(text: string): void;
  destroy(): void;
}

/** From so many sent bytes on a person is asked before they are lost; less is soon sent again. */
const worthAsking = 64 * 1024 * 1024;

/** What a person sees and does. Draws only what changed. */
export function createFace(root: HTMLElement, { uploader, language, accepts, phone }: FaceOptions): Face {
  const { strings } = language;
  const format = createFormat(language.tag);
  root.lang = language.tag;
  root.dir = language.direction;
  root.classList.add("uploader");

  const { section: drop, input, takeEarly } = createDrop(root, { strings, accepts, phone, add });

  const connection = el("p", { className: "notice" });
  const notice = el("p", { className: "notice" });
  const summary = el("p", { className: "summary" });
  const bar = el("progress", { max: 100, "aria-label": strings.uploading });
  const pauseAll = quietButton(strings.pause, () => uploader.pause());
  const resumeAll = quietButton(strings.resume, () => uploader.resume());
  const overall = el(
    "section",
    { className: "overall" },
    el("div", { className: "about" }, summary, bar),
    el("div", { className: "acts" }, pauseAll, resumeAll),
  );
  const list = el("ul", { className: "files", "aria-label": strings.files });
  const live = el("div", { className: "unseen", role: "status", "aria-live": "polite" });
  root.replaceChildren(drop, notice, connection, overall, list, live);

  const rows = new Map<string, Row>();
  const seen = new Map<string, Status>();
  let wasAt = { connection: "good", state: "empty" };

  /** One sentence at a time; what comes together is said together. */
  let sentences: string[] = [];
  function announce(text: string): void {
    sentences.push(text);
    setTimeout(() => {
      if (sentences.length > 0) live.textContent = sentences.join(" ");
      sentences = [];
    }, 100);
  }

  function add(chosen: readonly Chosen[]): void {
    for (const fileName of uploader.add(withoutLitter(chosen))) announce(fill(strings.noDuplicates, { fileName }));
  }

  function cancel(key: string): void {
    const item = uploader.items().find((one) => one.key === key);
    if (!item || item.sent < worthAsking || item.status === "failed") remove(key);
    else void import("./ask.ts").then(({ askToCancel }) => askToCancel(item.name, strings, () => remove(key)));
  }

  function remove(key: string): void {
    const keys = [...rows.keys()];
    const next = keys[keys.indexOf(key) + 1] ?? keys[keys.indexOf(key) - 1];
    uploader.cancel(key);
    draw();
    const row = next === undefined ? undefined : rows.get(next);
    if (row) row.focus();
    else input.focus();
  }

  function tellOf(item: Item): void {
    const before = seen.get(item.key);
    seen.set(item.key, item.status);
    if (before === item.status) return;
    if (item.status === "done" && before !== undefined) announce(`${item.name}: ${strings.onThePost}.`);
    if (item.status === "failed")
      announce(`${item.name}: ${strings.uploadFailed}. ${item.error?.message ?? ""} ${item.error?.hint ?? ""}`);
    if (item.status === "sending" && (before === undefined || before === "waiting"))
      announce(`${item.name}: ${strings.uploading}.`);
    if (item.status === "paused") announce(`${item.name}: ${strings.paused}.`);
  }

  function drawOverall(): void {
    const now = uploader.overall();
    root.dataset["state"] = now.state;
    show(overall, now.state !== "empty");
    const parts = [fill(strings.filesUploadedOfTotal, { complete: now.done, smart_count: now.files })];
    const isOpen = now.state === "sending" || now.state === "paused";
    if (isOpen)
      parts.push(
        fill(strings.dataUploadedOfTotal, { complete: format.bytes(now.sent), total: format.bytes(now.size) }),
      );
    // In a long list the one that failed may be out of sight.
    if (now.failed > 0) parts.push(`${strings.uploadFailed}: ${now.failed}`);
    if (now.speed !== undefined) parts.push(format.speed(now.speed));
    if (now.secondsLeft !== undefined) parts.push(fill(strings.xTimeLeft, { time: format.duration(now.secondsLeft) }));
    say(summary, now.state === "done" ? strings.allDone : parts.join(" · "));
    bar.value = now.size === 0 ? 0 : (now.sent / now.size) * 100;
    show(bar, isOpen);
    const focused = document.activeElement === pauseAll || document.activeElement === resumeAll;
    show(pauseAll, now.state === "sending");
    show(resumeAll, now.state === "paused");
    if (focused) (now.state === "sending" ? pauseAll : resumeAll).focus();
    const busy = now.state === "sending";
    const words = { good: "", offline: strings.offline, lost: now.reason ?? strings.unreachable }[now.connection];
    const shown = now.connection === "offline" || busy ? words : "";
    say(connection, shown);
    show(connection, shown !== "");
    if (now.connection !== wasAt.connection) announce(now.connection === "good" ? strings.backAgain : words);
    if (now.state === "done" && wasAt.state !== "done" && wasAt.state !== "empty") announce(strings.allDone);
    wasAt = now;
  }

  function draw(): void {
    const items = uploader.items();
    for (const item of items) {
      const row = rows.get(item.key) ?? createRow(item, { uploader, strings, format, onCancel: cancel });
      if (!rows.has(item.key)) list.append(row.element);
      rows.set(item.key, row);
      row.update(item);
      tellOf(item);
    }
    for (const [key, row] of rows) {
      if (items.some((item) => item.key === key)) continue;
      row.destroy();
      rows.delete(key);
    }
    drawOverall();
  }

  let drawing: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    drawing ??= setTimeout(() => {
      drawing = undefined;
      draw();
    }, 30);
  };
  const unsubscribe = uploader.subscribe(soon);
  const ticking = setInterval(() => uploader.overall().state === "sending" && draw(), 400);
  const stopListening = listenForFiles(root, add);

  show(notice, false);
  draw();
  takeEarly();
  return {
    notice(text) {
      say(notice, text);
      show(notice, text !== "");
      announce(text);
    },
    destroy() {
      unsubscribe();
      stopListening();
      clearInterval(ticking);
      clearTimeout(drawing);
      for (const row of rows.values()) row.destroy();
      root.replaceChildren();
    },
  };
}
