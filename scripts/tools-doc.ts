import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toListing, type Tool } from "#mcp/define-tool.ts";
import { tools } from "#mcp/tool-list.ts";

/** Writes `docs/tools.md` from the tool declarations. With `--check`, only checks that it is up to date. */

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
    `| input | type | |\n| --- | --- | --- |\n${rows(inputSchema)}`,
    `| result | type | |\n| --- | --- | --- |\n${rows(resultSchema)}`,
  ].join("\n\n");
}

function rows({ properties = {}, required = [] }: Schema): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const defaultText = schema.default === undefined ? "" : ` Default: \`${JSON.stringify(schema.default)}\`.`;
    return `| \`${name}\`${required.includes(name) || schema.default !== undefined ? "" : "?"} | ${typeOf(schema)} | ${schema.description ?? ""}${defaultText} |`;
  });
  return lines.length > 0 ? lines.join("\n") : "| none | | |";
}

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(" \\| ");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" \\| ");
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}`;
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
    process.stderr.write("docs/tools.md is out of date. Run: npm run docs:tools\n");
    process.exitCode = 1;
  }
} else {
  await writeFile(path, text);
}
