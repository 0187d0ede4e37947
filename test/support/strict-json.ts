/** A bracket, or a string with the colon after it, if it is a key. */
const tokenPattern = /[[\]{}]|("(?:[^"\\]|\\.)*")(\s*:)?/g;

/** Parses JSON and throws if an object has a duplicate key, which `JSON.parse` accepts. */
export function parseStrictly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const openObjects: Set<string>[] = [];
  for (const [token, string = "", colon] of text.matchAll(tokenPattern)) {
    if (token === "{" || token === "[") openObjects.push(new Set());
    else if (token === "}" || token === "]") openObjects.pop();
    else if (colon !== undefined) {
      const key = JSON.parse(string) as string;
      if (openObjects.at(-1)?.has(key)) throw new SyntaxError(`Duplicate key ${string}: ${text}`);
      openObjects.at(-1)?.add(key);
    }
  }
  return value;
}
