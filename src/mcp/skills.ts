import { sha256 } from "#lib/digest.ts";
import { minutes } from "#lib/clock.ts";
import { respondToResource, uriParams } from "./post-resources.ts";
import { prompts, type Prompt } from "./prompts.ts";
import { createInvalidParamsError } from "./protocol/messages.ts";
import type { Method } from "./protocol/method.ts";

/** SEP-2640: https://github.com/modelcontextprotocol/ext-skills, specification/stable/skills.mdx, read 2026-11-19. */
export const skillsExtension = "io.modelcontextprotocol/skills";

/** The skills only change with a new server version. */
const ttlMs = minutes(5);

interface Skill {
  uri: string;
  text: string;
  /** What clients see of the skill before they read it. */
  entry: Readonly<Record<string, unknown>>;
}

/** The prompts that models may also use by themselves, as skills of one file. */
const skills: readonly Skill[] = Object.entries(prompts).flatMap(([promptName, prompt]) =>
  prompt.useWhen === undefined ? [] : [createSkill(promptName.replaceAll("_", "-"), prompt, prompt.useWhen)],
);

function createSkill(name: string, { title, description, steps }: Prompt, useWhen: string): Skill {
  const uri = `skill://atelier/${name}/SKILL.md`;
  const frontmatter = { name, description: `${description} Use when ${useWhen}.` };
  // A JSON string is also a YAML string.
  const text = `---\nname: ${name}\ndescription: ${JSON.stringify(frontmatter.description)}\n---\n\n# ${title}\n\n${steps}\n`;
  const resources = [{ uri, digest: `sha256:${sha256(text)}`, size: Buffer.byteLength(text) }];
  return { uri, text, entry: { uri, frontmatter, resources } };
}

const findSkill = (uri: unknown): Skill | undefined => skills.find((skill) => skill.uri === uri);

/** Adds `skills/list` and `skills/get`, and the files of the skills to `resources/read`. */
export function addSkills(methods: Map<string, Method>): void {
  methods.set("skills/list", { era: "modern", ttlMs, handle: () => ({ skills: skills.map(({ entry }) => entry) }) });
  methods.set("skills/get", {
    era: "modern",
    ttlMs,
    handle({ params }) {
      const skill = findSkill(params["uri"]);
      if (!skill) throw createInvalidParamsError("unknown skill; skills/list returns the skills");
      return { skill: skill.entry };
    },
  });
  const readMethod = methods.get("resources/read");
  if (!readMethod) return;
  methods.set("resources/read", {
    ...readMethod,
    getTtlMs: (params) => (findSkill(params["uri"]) ? ttlMs : readMethod.getTtlMs?.(params)),
    handle(exchange) {
      const skill = findSkill(exchange.params["uri"]);
      if (!skill) return readMethod.handle(exchange);
      const contents = [{ uri: skill.uri, mimeType: "text/markdown", text: skill.text }];
      return respondToResource(exchange, uriParams, async () => ({ contents }));
    },
  });
}
