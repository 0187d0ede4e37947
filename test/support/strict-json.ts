/** Parses JSON and throws if an object has a duplicate key, which `JSON.parse` accepts. */
export function parseStrictly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  let at = 0;
  skipValue();
  return value;

  function skipValue(): void {
    skipSpace();
    if (text[at] === "{") return skipObject();
    if (text[at] === "[") return skipArray();
    if (text[at] === '"') return void readString();
    at = endOf(/[^,\]}\s]*/y);
  }

  function skipObject(): void {
    const keys = new Set<string>();
    at++;
    for (skipSpace(); text[at] !== "}"; skipSpace()) {
      if (text[at] === ",") at++;
      skipSpace();
      const key = readString();
      if (keys.has(key)) throw new SyntaxError(`Duplicate key ${JSON.stringify(key)}: ${text}`);
      keys.add(key);
      skipSpace();
      at++; // the colon
      skipValue();
    }
    at++;
  }

  function skipArray(): void {
    at++;
    for (skipSpace(); text[at] !== "]"; skipSpace()) {
      if (text[at] === ",") at++;
      skipValue();
    }
    at++;
  }

  function readString(): string {
    const start = at;
    at = endOf(/"(?:[^"\\]|\\.)*"/y);
    return JSON.parse(text.slice(start, at)) as string;
  }

  function skipSpace(): void {
    at = endOf(/\s*/y);
  }

  function endOf(pattern: RegExp): number {
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : at;
  }
}
