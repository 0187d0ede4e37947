type Child = Node | string | undefined;

/** Creates an element. Names that are not properties, such as `aria-…`, become attributes. */
export function el<K extends keyof HTMLElementTagNameMap>(
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

export function createQuietButton(label: string, onClick: () => void): HTMLButtonElement {
  const button = el("button", { type: "button", className: "quiet", textContent: label });
  button.addEventListener("click", onClick);
  return button;
}

/** Leaves equal text alone, so that a screen reader that is reading it is not interrupted. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setVisible(element: HTMLElement, isVisible: boolean): void {
  if (element.hidden === isVisible) element.hidden = !isVisible;
}
