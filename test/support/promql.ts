/** A vector selector of a PromQL expression, such as `up{job="atelier"}`. */
export interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

const keywords = new Set(["and", "or", "unless", "bool", "offset"]);

/** Lists the selectors of an expression. Supports only the syntax that the files in deploy/ use. */
export function listSelectors(expression: string): Selector[] {
  const withoutClauses = expression
    .replaceAll(/\[[^\]]*\]/g, "") // ranges
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, "");
  return [...withoutClauses.matchAll(/(?<![\w."])([a-zA-Z_:][\w:]*)\s*(\(|\{([^}]*)\})?/g)]
    .filter(([, name = "", next]) => next !== "(" && !keywords.has(name))
    .map(([, metric = "", , matchers = ""]) => ({
      metric,
      matchers: [...matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
        ([, label = "", operator = "", value = ""]) => ({ label, operator, value }),
      ),
    }));
}

/** A line of the text format of /metrics, without its value. */
export interface Series {
  metric: string;
  labels: Record<string, string>;
}

export function parseMetrics(text: string): Series[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, metric = "", labels = ""] = /^([\w:]+)(?:\{(.*)\})? /.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]);
      return { metric, labels: Object.fromEntries(pairs) as Record<string, string> };
    });
}
