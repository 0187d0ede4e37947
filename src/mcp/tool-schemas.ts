import { z } from "zod";

/**
 * A model pays for every byte of a listing, so the listing contains only what helps to make a call: names, types,
 * choices and the limits that models exceed. The server validates with the full schema and explains what is wrong.
 */
export function toInputSchema(schema: z.ZodObject): object {
  return toJsonSchema(schema, "input", (part) => {
    for (const keyword of ["additionalProperties", "maxLength", "maxItems", "minItems"]) delete part[keyword];
    if (part["minLength"] === 1) delete part["minLength"];
    if (part["format"] === "date-time") delete part["pattern"];
    if (part["minimum"] === 1) delete part["minimum"];
    if (part["maximum"] === maxInt32) delete part["maximum"];
  });
}

/**
 * Allows the tool's output or an error. Clients on older SDKs validate structured content even when `isError` is set,
 * and would not show the model an error that does not match. Describes only the top level: clients validate results
 * with it, and models read the results themselves.
 */
export function toOutputSchema(schema: z.ZodObject): object {
  const { properties = {}, required = [] } = toJsonSchema(schema, "output", (part) => delete part["description"]);
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, toTypeOnly(part)])),
    anyOf: [{ required }, { required: ["code", "message"] }],
  };
}

const maxInt32 = 2 ** 31 - 1;

interface SchemaPart {
  [keyword: string]: unknown;
  type?: unknown;
  anyOf?: SchemaPart[];
  items?: SchemaPart;
}

interface ObjectSchema {
  properties?: Record<string, SchemaPart>;
  required?: readonly string[];
}

function toJsonSchema(schema: z.ZodObject, io: "input" | "output", shorten: (part: SchemaPart) => void): ObjectSchema {
  // MCP defaults to JSON Schema 2020-12; omitting `$schema` saves tokens.
  const { $schema: _, ...schemaBody } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      const part = jsonSchema as SchemaPart;
      // Zod adds the safe-integer range to every integer.
      if (part["minimum"] === Number.MIN_SAFE_INTEGER) delete part["minimum"];
      if (part["maximum"] === Number.MAX_SAFE_INTEGER) delete part["maximum"];
      shorten(part);
    },
  });
  return schemaBody as ObjectSchema;
}

/** Omits the properties of nested objects. */
function toTypeOnly({ type, anyOf, items, enum: choices }: SchemaPart): SchemaPart {
  return {
    ...(type === undefined ? {} : { type }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(toTypeOnly) }),
    ...(items === undefined ? {} : { items: toTypeOnly(items) }),
  };
}
