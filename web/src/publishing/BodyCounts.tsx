import type { Post } from "../api/queries.ts";
import type { TextRule } from "./measure-text.ts";
import { ExcessStatus, TextCount } from "./TextCount.tsx";
import { usePlatformNames } from "./use-platform-names.ts";

/** The length of the post's text for each platform that receives it, below the text field. */
export function BodyCounts({ post, body }: { post: Post; body: string }) {
  const getPlatformName = usePlatformNames();
  const rules = listRules(post).map(([platform, rule]): [string, TextRule] => [getPlatformName(platform), rule]);
  if (rules.length === 0) return null;
  return (
    <>
      <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-sm text-muted" aria-label="Length of the text">
        {rules.map(([name, rule]) => (
          <li key={name}>
            {name} <TextCount text={body} rule={rule} />
          </li>
        ))}
      </ul>
      <ExcessStatus text={body} rules={rules} />
    </>
  );
}

/** Accounts on one platform have the same rule. Accounts with their own text don't receive the body. */
function listRules({ validation = [], variants }: Post): [platform: string, rule: TextRule][] {
  const rules = new Map<string, TextRule>();
  for (const { connectionId, platform, text: rule } of validation)
    if (rule && !variants.some((variant) => variant.connectionId === connectionId)) rules.set(platform, rule);
  return [...rules];
}
