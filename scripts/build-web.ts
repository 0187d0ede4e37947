import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const web = join(root, "web");
const stampFile = join(web, "dist", ".stamp");

/** Builds web/ into web/dist, unless web/dist is up to date. */
export async function buildWeb(): Promise<void> {
  const isBuilt = ["index.html", "chat-app.html"].every((name) => existsSync(join(web, "dist", name)));
  // A deployment may contain only web/dist, or no build tools.
  if (isBuilt && (!existsSync(join(web, "index.html")) || !findVite())) return;

  const stamp = await hashSources();
  if (isBuilt && (await readFile(stampFile, "utf8").catch(() => "")) === stamp) return;

  const vite = findVite();
  if (!vite)
    throw new Error("The web app is not built, and its build tools are not installed. Run: npm ci --include=dev");
  process.stderr.write("Building the web app. This takes a few seconds.\n");
  await runVite(vite, "vite.config.ts");
  // After the web app, whose build empties the folder.
  await runVite(vite, "chat-app.config.ts");
  // Written last, so that an interrupted build starts over.
  await writeFile(stampFile, stamp);
}

/** Returns one digest of every file in web/, of the code that it shares with the server, and of the lockfile. */
async function hashSources(): Promise<string> {
  const folders = [web, join(root, "src", "portable")];
  const entries = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })));
  const files = entries
    .flat()
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(web, "dist")))
    .toSorted();
  const hash = createHash("sha256");
  for (const path of [...files, join(root, "package-lock.json")]) {
    const content = await readFile(path);
    hash.update(`${path.slice(root.length)} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

function findVite(): string | undefined {
  try {
    return join(createRequire(import.meta.url).resolve("vite/package.json"), "../bin/vite.js");
  } catch {
    return undefined;
  }
}

/** Builds in a child process, so that the build's memory is released. Shows its output only if it fails. */
function runVite(vite: string, config: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [vite, "build", web, "--config", join(web, config)], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (output += text.toString()));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`The web app could not be built.\n${output}`));
    });
  });
}

if (import.meta.main) {
  await buildWeb().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
