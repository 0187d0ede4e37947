import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onExit } from "./support/at-exit.ts";

/**
 * Breaks rules that matter, one at a time, and checks that the named test file notices it within a minute:
 *   node test/mutations.ts [part of a description]
 * It changes files of this clone and restores them, so commit first.
 */

interface Mutation {
  breaks: string;
  file: string;
  text: string;
  replacement: string;
  /** In test/. */
  test: string;
}

const maxSeconds = 60;

const mutations: readonly Mutation[] = [
  {
    breaks: "policy: members may empty the trash",
    file: "src/domain/policy.ts",
    text: '"trash.empty": managers',
    replacement: '"trash.empty": allRoles',
    test: "integration/api-roles.test.ts",
  },
  {
    breaks: "policy: admins may manage owners",
    file: "src/domain/policy.ts",
    text: 'admin: ["admin", "member"]',
    replacement: "admin: roles",
    test: "integration/api-roles.test.ts",
  },
  {
    breaks: "approval: clients publish without studio:publish",
    file: "src/domain/policy.ts",
    text: 'caller.client === undefined || caller.scopes.includes("studio:publish")',
    replacement: "true",
    test: "integration/publishing.test.ts",
  },
  {
    breaks: "approval: an edit by anyone keeps it",
    file: "src/domain/changes/revise-publications.ts",
    text: "(mayKeepApproval && approvedDigest !== unapprovedDigest)",
    replacement: "approvedDigest !== unapprovedDigest",
    test: "integration/approved-files.test.ts",
  },
  {
    breaks: "authority: a demoted user keeps the former role",
    file: "src/domain/model/authority.ts",
    text: "if (isLowerRole(role, authority.role))",
    replacement: "if (false)",
    test: "integration/authority.test.ts",
  },
  {
    breaks: "authority: a call may finish after its access ended",
    file: "src/domain/model/authority.ts",
    text: "if (!access) throw accessEndedError(authority);",
    replacement: "if (!access) return { mayPublish: false };",
    test: "integration/authority.test.ts",
  },
  {
    breaks: "tenancy: a post is found in any studio",
    file: "src/db/posts.ts",
    text: "FROM posts WHERE studio_id = $1 AND id = $2 AND trashed_at IS NULL`",
    replacement: "FROM posts WHERE $1 = $1 AND id = $2 AND trashed_at IS NULL`",
    test: "integration/api-guards.test.ts",
  },
  {
    breaks: "limits: a post may have one asset too many",
    file: "src/db/posts.ts",
    text: "asset_count < $3",
    replacement: "asset_count <= $3",
    test: "integration/asset-model.test.ts",
  },
  {
    breaks: "limits: a rate limit allows one more call",
    file: "src/db/coordination.ts",
    text: '.where("rateLimits.hits", "<", limit)',
    replacement: '.where("rateLimits.hits", "<=", limit)',
    test: "integration/rate-limits.test.ts",
  },
  {
    breaks: "digests: alt text is not part of what was approved",
    file: "src/domain/model/publication-content.ts",
    text: "    version,\n    altText,",
    replacement: "    version,",
    test: "spec/publication-digest.test.ts",
  },
  {
    breaks: "digests: the key of a file is not part of what was approved",
    file: "src/domain/model/publication-content.ts",
    text: "    ...fileKeys,\n",
    replacement: "",
    test: "spec/publication-digest.test.ts",
  },
  {
    breaks: "fences: a worker that lost its claim still writes",
    file: "src/db/publications.ts",
    text: 'if (fence !== undefined) conditions.push(["fence =", fence]);',
    replacement: "",
    test: "integration/publishing-claims.test.ts",
  },
  {
    breaks: "fences: a claim does not raise the fence",
    file: "src/db/publishing-work.ts",
    text: "SET fence = fence + 1, lease_expires_at = $1, next_run_at = NULL",
    replacement: "SET lease_expires_at = $1, next_run_at = NULL",
    test: "integration/publishing-claims.test.ts",
  },
  {
    breaks: "publishing: expired uploads are used again",
    file: "src/domain/jobs/publishing/start-run.ts",
    text: "return isExpired ? emptyProgress : progress;",
    replacement: "return isExpired ? progress : progress;",
    test: "integration/facebook-publishing.test.ts",
  },
  {
    breaks: "sweeps: pending uploads are deleted before their URL expires",
    file: "src/domain/jobs/sweep-files.ts",
    text: "const graceAfterExpiry = hours(1)",
    replacement: "const graceAfterExpiry = -hours(1)",
    test: "integration/asset-states.test.ts",
  },
  {
    breaks: "sweeps: new orphans are deleted at once",
    file: "src/domain/jobs/sweep-files.ts",
    text: "const orphanAge = hours(1)",
    replacement: "const orphanAge = -hours(1)",
    test: "integration/asset-states.test.ts",
  },
  {
    breaks: "merge: a conflict is not reported",
    file: "web/src/posts/post-edits.ts",
    text: "parts.some(isConflict)",
    replacement: "false",
    test: "spec/post-store.test.ts",
  },
  {
    breaks: "search: marks are not folded",
    file: "src/domain/model/search/fold.ts",
    text: '.replace(markedLetter, "$1")',
    replacement: "",
    test: "spec/fold-for-search.test.ts",
  },
  {
    breaks: "search: ß is not ss",
    file: "src/domain/model/search/fold.ts",
    text: '.replace(/ß/g, "ss")',
    replacement: "",
    test: "spec/fold-for-search.test.ts",
  },
  {
    breaks: "consent: the page grants another studio than it shows",
    file: "src/http/pages/consent-routes.ts",
    text: "if (formPage !== page && formPage !==",
    replacement: "if (false && formPage !==",
    test: "integration/oauth-consent.test.ts",
  },
];

const filter = process.argv[2] ?? "";
const survivors: string[] = [];
for (const mutation of mutations.filter(({ breaks }) => breaks.includes(filter))) {
  const outcome = await tryMutation(mutation);
  console.log(`${outcome === "caught" ? "caught  " : "SURVIVED"} ${mutation.breaks}: ${mutation.test} (${outcome})`);
  if (outcome !== "caught") survivors.push(mutation.breaks);
}
process.exitCode = survivors.length === 0 ? 0 : 1;

async function tryMutation({ file, text, replacement, test }: Mutation): Promise<string> {
  const path = join(import.meta.dirname, "..", file);
  const source = readFileSync(path, "utf8");
  if (!source.includes(text)) return `not found in ${file}: ${text}`;
  const restore = (): void => writeFileSync(path, source);
  const unregister = onExit(restore);
  try {
    writeFileSync(path, source.replaceAll(text, replacement));
    return await runTest(join(import.meta.dirname, test));
  } finally {
    restore();
    unregister();
  }
}

/** A test file that takes too long catches nothing. */
async function runTest(path: string): Promise<string> {
  const signal = AbortSignal.timeout(maxSeconds * 1000);
  const child = spawn(process.execPath, ["--test", path], { stdio: "ignore", signal });
  const [code] = (await once(child, "exit").catch(() => ["timeout"])) as [number | string];
  if (code === "timeout") return `not within ${maxSeconds} s`;
  return code === 0 ? "all tests pass" : "caught";
}
