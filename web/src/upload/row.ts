import { el, say, show } from "./dom.ts";
import type { Format } from "./format.ts";
import { createPreview } from "./preview.ts";
import { fill, type Strings } from "./strings.ts";
import type { Item } from "./item.ts";
import type { Uploader } from "./uploader.ts";

export interface Row {
  element: HTMLLIElement;
  update(item: Item): void;
  focus(): void;
  destroy(): void;
}

export interface RowParts {
  uploader: Uploader;
  strings: Strings;
  format: Format;
  onCancel: (key: string) => void;
}

/** One file: what it is, how far it is, and what can be done with it. Made once, then only changed. */
export function createRow(first: Item, { uploader, strings, format, onCancel }: RowParts): Row {
  const { key } = first;
  const preview = createPreview();
  const name = el("p", { className: "name", id: `${key}-name`, dir: "auto" });
  const state = el("p", { className: "state" });
  const bar = el("progress", { max: 100, "aria-labelledby": `${key}-name` });
  const problem = el("p", { className: "problem" });

  const button = (word: string, act: () => void, main = false) => {
    const made = el("button", { type: "button", className: main ? "small" : "quiet", textContent: word });
    made.addEventListener("click", act);
    return made;
  };
  const pause = button(strings.pause, () => uploader.pause(key));
  const resume = button(strings.resume, () => uploader.resume(key), true);
  const retry = button(strings.retry, () => uploader.resume(key), true);
  const cancel = button(strings.cancel, () => onCancel(key));
  const buttons = [pause, resume, retry, cancel];

  const alt = el("input", {
    type: "text",
    id: `${key}-alt`,
    maxLength: 2000,
    placeholder: strings.altHint,
    autocomplete: "off",
  });
  const said = el("span", { className: "said", role: "status" });
  const altRow = el(
    "div",
    { className: "alt" },
    el("label", { htmlFor: alt.id, textContent: strings.altText }),
    alt,
    said,
  );
  let typed: ReturnType<typeof setTimeout> | undefined;
  const save = async () => {
    clearTimeout(typed);
    if (alt.value.trim() === current.altText) return;
    const kept = await uploader.setAltText(key, alt.value.trim());
    say(said, kept ? strings.saved : strings.notSaved);
    setTimeout(() => say(said, ""), 3000);
  };
  alt.addEventListener("change", () => void save());
  alt.addEventListener("input", () => {
    clearTimeout(typed);
    typed = setTimeout(() => void save(), 1500);
  });

  const element = el(
    "li",
    { className: "file" },
    preview.element,
    el("div", { className: "about" }, name, state, bar, problem, altRow),
    el("div", { className: "acts" }, ...buttons),
  );
  let current = first;

  function words(item: Item): string {
    const size = format.bytes(item.size);
    switch (item.status) {
      case "waiting":
        return `${size} · ${strings.waiting}`;
      case "sending": {
        const parts = [fill(strings.dataUploadedOfTotal, { complete: format.bytes(item.sent), total: size })];
        if (item.speed !== undefined) parts.push(format.speed(item.speed));
        if (item.secondsLeft !== undefined)
          parts.push(fill(strings.xTimeLeft, { time: format.duration(item.secondsLeft) }));
        return parts.join(" · ");
      }
      case "paused":
        return `${strings.paused} · ${fill(strings.dataUploadedOfTotal, { complete: format.bytes(item.sent), total: size })}`;
      case "checking":
        return `${size} · ${strings.checking}`;
      case "done":
        return `${size} · ${strings.onThePost}`;
      case "failed":
        return `${size} · ${strings.uploadFailed}`;
      case "missing":
        return size;
    }
  }

  function update(item: Item): void {
    current = item;
    element.dataset["status"] = item.status;
    preview.update(item);
    say(name, item.name);
    say(state, words(item));
    const { status } = item;
    show(bar, !["done", "failed", "missing"].includes(status));
    if (status === "checking") bar.removeAttribute("value");
    else bar.value = item.size === 0 ? 0 : (item.sent / item.size) * 100;
    say(
      problem,
      status === "missing" ? strings.chooseAgain : [item.error?.message, item.error?.hint].filter(Boolean).join(" "),
    );
    show(problem, problem.textContent !== "");
    show(pause, status === "waiting" || status === "sending");
    show(resume, status === "paused" || (status === "missing" && item.kept !== undefined));
    show(retry, status === "failed" && item.file !== undefined && item.error?.final !== true);
    show(cancel, status !== "done" && status !== "checking");
    say(cancel, status === "failed" ? strings.removeFile : strings.cancel);
    for (const one of buttons) one.setAttribute("aria-label", `${one.textContent}: ${item.name}`);
    show(altRow, status !== "failed" && /^(image|video)\//.test(item.type));
    if (document.activeElement !== alt && alt.value !== item.altText) alt.value = item.altText;
  }

  update(first);
  return {
    element,
    update,
    focus: () => (buttons.find((one) => !one.hidden) ?? alt).focus(),
    destroy() {
      clearTimeout(typed);
      preview.destroy();
      element.remove();
    },
  };
}
