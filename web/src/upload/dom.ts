type Child = Node | string | undefined;

/** An element with these properties and attributes (`aria-…`, `data-…`, `for`, `role`), and what is in it. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Record<string, string | number | boolean | undefined> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const createdElement = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name in createdElement && !name.includes("-")) Reflect.set(createdElement, name, value);
    else if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      createdElement.setAttribute(name, `${value}`);
  }
  createdElement.append(...children.filter((child) => child !== undefined));
  return createdElement;
}

export function createQuietButton(label: string, onClick: () => void): HTMLButtonElement {
  const createdElement = el("button", { type: "button", className: "quiet", textContent: label });
  createdElement.addEventListener("click", onClick);
  return createdElement;
}

/** Changes text only where it differs: a screen reader may be in the middle of it. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setVisible(element: HTMLElement, isVisible: boolean): void {
  if (element.hidden === isVisible) element.hidden = !isVisible;
}
