import { defineConfig, type OxlintConfig } from "oxlint";

/**
 * Import rules: the single source. ARCHITECTURE.md repeats both tables, and `scripts/check-imports.ts` compares them
 * and checks that the linter enforces them.
 */

/** Which folders of `src` each folder may import, by `#alias`. */
export const folderImports: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  portable: [],
  domain: ["lib", "portable"],
  config: ["lib"],
  db: ["domain", "lib"],
  storage: ["domain", "lib"],
  media: ["domain", "lib"],
  mail: ["domain", "lib"],
  connectors: ["domain", "lib", "portable"],
  auth: ["domain", "lib"],
  mcp: ["domain", "lib"],
  http: ["mcp", "auth", "domain", "lib", "portable"],
  dev: ["http", "mcp", "auth", "connectors", "db", "domain", "lib"],
  ops: ["db", "storage", "mail", "domain", "lib", "portable"],
  app: ["auth", "config", "connectors", "db", "dev", "domain", "http", "lib", "mail", "mcp", "media", "storage"],
};

/** What the web app may import; of `http`, only types. */
export const webImports: readonly string[] = ["portable", "http"];

/** The files at the root of `src`, which may import every folder. */
export const rootFiles = ["main.ts", "cli.ts"];

/** Packages that only the named folders (or root files) may import. */
export const packageOwners: Readonly<Record<string, readonly string[]>> = {
  kysely: ["db"],
  pg: ["db"],
  "node:sqlite": ["db"],
  "@aws-sdk/*": ["storage"],
  sharp: ["media"],
  nodemailer: ["mail"],
  "oidc-provider": ["auth", "dev"],
  "openid-client": ["auth"],
  jose: ["auth"],
  oauth4webapi: ["connectors"],
  "@modelcontextprotocol/*": ["mcp", "http", "dev"],
  hono: ["http", "web"],
  "@hono/*": ["http", "web"],
  pino: ["lib"],
  react: ["web"],
  "react-dom": ["web"],
  "radix-ui": ["web"],
  "lucide-react": ["web"],
  "@dnd-kit/*": ["web"],
  cmdk: ["web"],
  "@tanstack/*": ["web"],
  "node:process": ["main.ts", "cli.ts"],
};

type Override = NonNullable<OxlintConfig["overrides"]>[number];
interface Pattern {
  regex: string;
  message: string;
  importNamePattern?: string;
  allowTypeImports?: boolean;
}

const folders = Object.keys(folderImports);
const anyOf = (names: readonly string[]): string => names.map((name) => name.replaceAll(".", "\\.")).join("|");

/** Rejects packages owned by other folders. `owner` is a folder or a root file. */
function forbidForeignPackages(owner: string): Pattern {
  const names = Object.entries(packageOwners)
    .filter(([, owners]) => !owners.includes(owner))
    .flatMap(([name]) => (name === "node:process" ? [name, "process"] : [name.replace("/*", "")]));
  return { regex: `^(${anyOf(names)})(/|$)`, message: "Another folder owns this package. See ARCHITECTURE.md." };
}

/** Rejects folders that are not allowed, relative paths into another folder, and the root files. */
function forbidForeignFolders(folder: string): Pattern {
  const allowed = folderImports[folder] ?? [];
  const forbidden = folders.filter((name) => !allowed.includes(name));
  const outside = [...folders, "bench", "scripts", "test", "web"];
  return {
    regex: `^#(${anyOf(forbidden)})/|(^|/)\\.\\./(.*/)?((${anyOf(outside)})/|(${anyOf(rootFiles)})$)`,
    message: `src/${folder} may import ${allowed.join(", ") || "no other folder"}, by #alias. See ARCHITECTURE.md.`,
  };
}

const restrictImports = (files: string, patterns: readonly Pattern[]): Override => ({
  files: [files],
  rules: { "no-restricted-imports": ["error", { patterns: [...patterns] }] },
});

const environmentRule = {
  object: "process",
  property: "env",
  message: "Only src/config reads the environment.",
};

/** The domain receives I/O, clock and randomness through its deps. */
const domainPatterns: readonly Pattern[] = [
  {
    regex: "^node:(child_process|cluster|dgram|dns|fs|http|http2|https|net|os|tls|worker_threads)(/|$)",
    message: "The domain performs I/O through its ports only.",
  },
  { regex: "^node:crypto$", importNamePattern: "^random", message: "Pass in ids and randomness." },
];

/** Only the writers of posts, assets and publications use the stores that write them; `db` implements these. */
const writesPattern: Pattern = {
  regex: "(^|/)(changes/writes/|ports/write-stores)",
  allowTypeImports: true,
  message: "Write through a function in src/domain/changes (docs/decisions/0032-one-writer-per-aggregate.md).",
};

/** The test files of `npm test`; those in test/reliability may measure time (docs/decisions/0030-two-test-runs.md). */
const gateFiles = "test/{spec,integration,e2e,faults}/**";
const clockMessage = "Wait for a state, count, or advance a clock: the outcome must not depend on the machine's speed.";

const timerPattern: Pattern = {
  regex: "^(node:)?(timers/promises|perf_hooks)$",
  importNamePattern: "^(setTimeout|setInterval|performance)$",
  message: clockMessage,
};
const clockProperties = [
  { object: "Date", property: "now" },
  { object: "performance", property: "now" },
  { property: "waitForTimeout" },
];
const clockRules: OxlintConfig["rules"] = {
  "no-restricted-globals": ["error", { name: "setTimeout", message: clockMessage }],
  "no-restricted-properties": ["error", ...clockProperties.map((rule) => ({ ...rule, message: clockMessage }))],
};
const testPatterns: readonly Pattern[] = [
  { regex: "^fast-check$", message: "Import fc from test/support/fuzz.ts: it sets the seed." },
];

const folderPatterns = (folder: string): Pattern[] => [
  forbidForeignFolders(folder),
  forbidForeignPackages(folder),
  ...(folder === "domain" ? domainPatterns : []),
];

const importOverrides: Override[] = [
  ...folders.map((folder) =>
    restrictImports(`src/${folder}/**`, [...folderPatterns(folder), ...(folder === "db" ? [] : [writesPattern])]),
  ),
  restrictImports("src/domain/changes/**", folderPatterns("domain")),
  ...rootFiles.map((file) =>
    restrictImports(`src/${file}`, [
      { regex: `^\\./(${anyOf(folders)})/`, message: "Import folders by #alias." },
      forbidForeignPackages(file),
    ]),
  ),
  restrictImports("web/**/*.{ts,tsx}", [
    {
      regex: `^#(${anyOf(folders.filter((folder) => !webImports.includes(folder)))})/`,
      message: "web may import portable and types of http. See ARCHITECTURE.md.",
    },
    { regex: "^#http/", allowTypeImports: true, message: "web may import types of http only: use import type." },
    { regex: "\\.\\./src/", message: "Import across folders by #alias." },
    forbidForeignPackages("web"),
  ]),
  restrictImports("test/**", testPatterns),
  restrictImports(gateFiles, [...testPatterns, timerPattern]),
  { files: ["test/support/fuzz.ts"], rules: { "no-restricted-imports": "off" } },
  {
    files: ["src/domain/**"],
    rules: {
      "no-restricted-properties": [
        "error",
        environmentRule,
        { object: "Date", property: "now", message: "Pass in the clock." },
        { object: "Math", property: "random", message: "Pass in randomness." },
      ],
    },
  },
  { files: ["src/domain/*.ts"], rules: { "import/no-relative-parent-imports": "error" } },
  { files: ["src/config/**"], rules: { "no-restricted-properties": "off" } },
];

const rules = <Level extends "error" | "off">(level: Level, ...names: readonly string[]): Record<string, Level> =>
  Object.fromEntries(names.map((name) => [name, level]));

const noUnsafe = ["argument", "assignment", "call", "member-access", "return"].map(
  (name) => `typescript/no-unsafe-${name}`,
);

export default defineConfig({
  // Plugins of an override would get no rules of the categories.
  plugins: ["typescript", "import", "node", "oxc", "unicorn", "promise", "react", "jsx-a11y"],
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: "error" },
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  env: { builtin: true, node: true },
  ignorePatterns: ["node_modules", "web/dist", "data", "bench/peers", "test/servers/pds"],
  rules: {
    ...rules(
      "error",
      ...noUnsafe,
      "typescript/no-explicit-any",
      "typescript/no-non-null-assertion",
      "typescript/no-misused-promises",
      "typescript/only-throw-error",
      "typescript/prefer-promise-reject-errors",
      "typescript/prefer-nullish-coalescing",
      "typescript/prefer-optional-chain",
      "typescript/return-await",
      "typescript/consistent-type-imports",
      "typescript/consistent-type-definitions",
      "typescript/no-deprecated",
      "typescript/no-unnecessary-condition",
      "typescript/explicit-module-boundary-types",
      "typescript/no-namespace",
      "typescript/no-require-imports",
      "typescript/no-import-type-side-effects",
      "typescript/array-type",
      "import/no-default-export",
      "import/no-cycle",
      "import/no-duplicates",
      "import/no-mutable-exports",
      "import/first",
      "unicorn/prefer-node-protocol",
      "unicorn/filename-case",
      "unicorn/throw-new-error",
      "unicorn/error-message",
      "unicorn/no-abusive-eslint-disable",
      "no-var",
      "prefer-const",
      "no-console",
      "no-param-reassign",
      "no-else-return",
      "no-useless-return",
      "no-lonely-if",
      "no-implicit-coercion",
      "no-nested-ternary",
      "no-sequences",
      "no-empty",
      "no-warning-comments",
      "no-unreachable-loop",
      "no-useless-assignment",
      "object-shorthand",
      "prefer-template",
      "yoda",
    ),
    ...rules(
      "off",
      "no-underscore-dangle",
      "typescript/no-unsafe-type-assertion",
      "typescript/unbound-method",
      "typescript/consistent-return",
      "no-await-in-loop",
      "no-control-regex",
      "unicorn/prefer-set-has",
      "oxc/no-map-spread",
      "import/no-named-as-default-member",
      "import/no-unassigned-import",
      "unicorn/consistent-function-scoping",
      "promise/always-return",
    ),
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "oxc/no-barrel-file": ["error", { threshold: 0 }],
    eqeqeq: ["error", "always", { null: "ignore" }],
    "max-params": ["error", { max: 6 }],
    complexity: ["error", { max: 25 }],
    "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
    "no-restricted-properties": ["error", environmentRule],
    "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
  },
  overrides: [
    ...importOverrides,
    { files: ["src/db/**"], rules: rules("off", "typescript/no-non-null-assertion") },
    {
      files: ["src/http/api/**", "src/http/uploads/**", "src/http/reviews/**", "test/support/assistant.ts"],
      rules: rules("off", "typescript/explicit-module-boundary-types"),
    },
    {
      files: ["web/**/*.{ts,tsx}"],
      env: { browser: true },
      rules: {
        ...rules(
          "error",
          "react/exhaustive-deps",
          "react/rules-of-hooks",
          "react/button-has-type",
          "react/jsx-no-target-blank",
        ),
        ...rules(
          "off",
          "unicorn/prefer-add-event-listener",
          "react/react-in-jsx-scope",
          // These reject what we do on purpose, such as a key handler of a panel. The browser tests run axe-core.
          "jsx-a11y/click-events-have-key-events",
          "jsx-a11y/interactive-supports-focus",
          "jsx-a11y/media-has-caption",
          "jsx-a11y/no-autofocus",
          "jsx-a11y/no-noninteractive-element-interactions",
          "jsx-a11y/no-noninteractive-tabindex",
          "jsx-a11y/prefer-tag-over-role",
          // Rejects every use of TanStack Virtual, for apps that React Compiler compiles; ours is not.
          "react/incompatible-library",
          "react/no-array-index-key",
          "react/no-object-type-as-default-prop",
          "typescript/explicit-module-boundary-types",
        ),
        "unicorn/filename-case": ["error", { cases: { kebabCase: true, pascalCase: true } }],
        "react/forbid-elements": ["error", { forbid: [{ element: "details", message: "Use Disclosure." }] }],
      },
    },
    { files: ["web/src/ui/Disclosure.tsx"], rules: rules("off", "react/forbid-elements") },
    { files: ["web/*.config.ts"], env: { node: true }, rules: rules("off", "import/no-default-export") },
    {
      files: ["oxlint.config.ts", "test/support/outcome-reporter.ts"],
      rules: rules("off", "import/no-default-export", "max-lines"),
    },
    { files: ["scripts/**", "test/**", "bench/**"], rules: rules("off", "no-console", "no-restricted-properties") },
    {
      files: ["test/**"],
      rules: {
        ...rules(
          "off",
          ...noUnsafe,
          "typescript/no-non-null-assertion",
          "typescript/no-unnecessary-condition",
          "typescript/no-unnecessary-type-assertion",
          "typescript/switch-exhaustiveness-check",
          "typescript/require-array-sort-compare",
          "typescript/no-deprecated",
          "typescript/no-unnecessary-type-parameters",
          "typescript/prefer-nullish-coalescing",
          "typescript/no-explicit-any",
          "unicorn/no-useless-spread",
          "no-shadow",
          "no-control-regex",
          "max-lines",
        ),
        "typescript/no-floating-promises": [
          "error",
          {
            allowForKnownSafeCalls: [
              {
                from: "package",
                package: "node:test",
                name: ["test", "it", "describe", "suite", "before", "after", "beforeEach", "afterEach"],
              },
            ],
          },
        ],
        "typescript/no-misused-promises": ["error", { checksVoidReturn: { arguments: false } }],
      },
    },
    { files: [gateFiles], rules: clockRules },
    { files: ["scripts/*.js"], rules: rules("off", ...noUnsafe) },
  ],
});
