type Child = Node | string | undefined;

/** An element with these properties and attributes (`aria-…`, `data-…`, `for`, `role`), and what is in it. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Record<string, string | number | boolean | undefined> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name in made && !name.includes("-")) Reflect.set(made, name, value);
    else if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      made.setAttribute(name, `${value}`);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export function quietButton(word: string, act: () => void): HTMLButtonElement {
  const made = el("button", { type: "button", className: "quiet", textContent: word });
  made.addEventListener("click", act);
  return made;
}

/** Changes text only where it differs: a screen reader may be in the middle of it. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function show(element: HTMLElement, shown: boolean): void {
  if (element.hidden === shown) element.hidden = !shown;
}
