import { getButtonClasses, type ButtonVariant } from "../ui/button-classes.ts";

type Child = Node | string | undefined;

/** Creates an element. Names that are not properties, such as `aria-…`, become attributes. */
export function createElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Record<string, string | number | boolean | undefined> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name in element && !name.includes("-")) Reflect.set(element, name, value);
    else if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      element.setAttribute(name, `${value}`);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

export function createButton(label: string, onClick: () => void, variant: ButtonVariant = "quiet"): HTMLButtonElement {
  const button = createElement("button", { type: "button", className: getButtonClasses(variant), textContent: label });
  button.addEventListener("click", onClick);
  return button;
}

/** A progress bar from 0 to 100; without a value, it shows work of unknown duration. */
export function createProgressBar(
  label: { "aria-label": string } | { "aria-labelledby": string },
): HTMLProgressElement {
  return createElement("progress", {
    max: 100,
    className:
      "mt-1.5 block h-1.5 w-full appearance-none overflow-hidden rounded-sm bg-control/40 text-accent indeterminate:animate-progress indeterminate:bg-[linear-gradient(90deg,var(--rule),var(--accent),var(--rule))] indeterminate:bg-[length:200%_100%] forced-colors:border [&::-moz-progress-bar]:bg-accent forced-colors:[&::-moz-progress-bar]:bg-[Highlight] [&::-webkit-progress-bar]:bg-transparent indeterminate:[&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:rounded-sm [&::-webkit-progress-value]:bg-accent forced-colors:[&::-webkit-progress-value]:bg-[Highlight]",
    ...label,
  });
}

/** Writes only text that differs, because a write interrupts a screen reader that is reading the element. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Writes parts with dots between them. Lines break only after a dot. */
export function setParts(element: Element, parts: readonly string[]): void {
  if (element.textContent === parts.join(" · ")) return;
  const spans = parts.map((part, i) =>
    createElement("span", { className: "inline-block", textContent: i === parts.length - 1 ? part : `${part} ·` }),
  );
  element.replaceChildren(...spans.flatMap((span, i) => (i === 0 ? [span] : [" ", span])));
}

export function setVisible(element: HTMLElement, isVisible: boolean): void {
  if (element.hidden === isVisible) element.hidden = !isVisible;
}
