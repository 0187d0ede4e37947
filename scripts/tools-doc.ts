import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toListing, type Tool } from "#mcp/define-tool.ts";
import { tools } from "#mcp/tool-list.ts";

/** Writes `docs/tools.md` from the declarations; with `--check`, only says whether it is what it would write. */

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: string[];
  anyOf?: Schema[];
  default?: unknown;
  description?: string;
}

interface Listing {
  inputSchema: Schema;
  outputSchema: Schema;
  annotations: Record<string, unknown>;
}

const path = join(import.meta.dirname, "../docs/tools.md");

function describeTool(tool: Tool): string {
  const { inputSchema, outputSchema, annotations } = toListing(tool) as Listing;
  const hints = Object.entries(annotations).flatMap(([name, value]) =>
    value === true ? [name.replace(/Hint$/, "").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)] : [],
  );
  const resultSchema = { ...outputSchema, required: outputSchema.anyOf?.[0]?.required ?? [] };
  return [
    `## ${tool.name}`,
    `**${tool.title}.** ${tool.description}`,
    `Scope \`${tool.scope}\`; ${hints.join(", ") || "no hints"}.`,
    `| input | type | |\n| --- | --- | --- |\n${renderRows(inputSchema)}`,
    `| result | type | |\n| --- | --- | --- |\n${renderRows(resultSchema)}`,
  ].join("\n\n");
}

function renderRows({ properties = {}, required = [] }: Schema): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const defaultText = schema.default === undefined ? "" : ` Default: \`${JSON.stringify(schema.default)}\`.`;
    return `| \`${name}\`${required.includes(name) || schema.default !== undefined ? "" : "?"} | ${formatType(schema)} | ${schema.description ?? ""}${defaultText} |`;
  });
  return lines.length > 0 ? lines.join("\n") : "| none | | |";
}

function formatType(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(" \\| ");
  if (schema.anyOf) return schema.anyOf.map(formatType).join(" \\| ");
  if (schema.type === "array") return `list of ${formatType(schema.items ?? {})}`;
  if (schema.properties) return `{ ${Object.keys(schema.properties).join(", ")} }`;
  return Array.isArray(schema.type) ? schema.type.join(" \\| ") : (schema.type ?? "any");
}

const text = `${[
  "# Tools",
  "Made by `npm run docs:tools` from the declarations in `src/mcp/tools/`; do not edit. A tool that fails answers `isError` with `{ code, message, hint? }` instead of its result.",
  ...tools.map(describeTool),
].join("\n\n")}\n`;

if (process.argv.includes("--check")) {
  const currentText = await readFile(path, "utf8").catch(() => "");
  if (currentText !== text) {
    process.stderr.write("docs/tools.md is not what the tools declare. Run: npm run docs:tools\n");
    process.exitCode = 1;
  }
} else {
  await writeFile(path, text);
}
