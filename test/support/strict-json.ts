/** Parses JSON and throws if an object has a duplicate key, which `JSON.parse` accepts. */
export function parseStrictly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  let offset = 0;
  skipValue();
  return value;

  function skipValue(): void {
    skipSpace();
    if (text[offset] === "{") return skipObject();
    if (text[offset] === "[") return skipArray();
    if (text[offset] === '"') return void readString();
    offset = findEnd(/[^,\]}\s]*/y);
  }

  function skipObject(): void {
    const keys = new Set<string>();
    offset++;
    for (skipSpace(); text[offset] !== "}"; skipSpace()) {
      if (text[offset] === ",") offset++;
      skipSpace();
      const key = readString();
      if (keys.has(key)) throw new SyntaxError(`Duplicate key ${JSON.stringify(key)}: ${text}`);
      keys.add(key);
      skipSpace();
      offset++; // the colon
      skipValue();
    }
    offset++;
  }

  function skipArray(): void {
    offset++;
    for (skipSpace(); text[offset] !== "]"; skipSpace()) {
      if (text[offset] === ",") offset++;
      skipValue();
    }
    offset++;
  }

  function readString(): string {
    const start = offset;
    offset = findEnd(/"(?:[^"\\]|\\.)*"/y);
    return JSON.parse(text.slice(start, offset)) as string;
  }

  function skipSpace(): void {
    offset = findEnd(/\s*/y);
  }

  function findEnd(pattern: RegExp): number {
    pattern.lastIndex = offset;
    return pattern.test(text) ? pattern.lastIndex : offset;
  }
}
