import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** The layers of src/domain, from the lowest: a file imports only from layers below its own, and from its own folder. */
const lowerLayers: readonly (readonly string[])[] = [
  ["policy.ts"],
  ["caller.ts"],
  ["model"],
  ["ports"],
  ["changes"],
  ["steps"],
];
const areaLayer = lowerLayers.length;
const topLayers: readonly string[] = ["jobs"];

/** By path below src/domain: the paths that a file imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

export function readDomainImports(root: string): ImportGraph {
  const domain = join(root, "src/domain");
  return new Map(
    globSync("**/*.ts", { cwd: domain }).map((file) => {
      const code = readFileSync(join(domain, file), "utf8");
      const imports = [...code.matchAll(/^(?:import|export)\s[^;]*?from "(\.[^"]+)"/gm)];
      return [file, imports.map(([, path = ""]) => relative(".", join(dirname(file), path)))];
    }),
  );
}

/** Returns a sentence for each import that does not point down, and for each cycle of files. */
export function findLayerProblems(graph: ImportGraph): string[] {
  const upwardImports = [...graph].flatMap(([file, imports]) =>
    imports
      .filter((imported) => getFolder(imported) !== getFolder(file) && getLayer(imported) >= getLayer(file))
      .map(
        (imported) => `src/domain/${file} may not import ${imported}: see "Layers of the domain" in ARCHITECTURE.md`,
      ),
  );
  return [...upwardImports, ...findCycles(graph)];
}

const getFolder = (file: string): string => file.split("/", 1)[0] ?? "";

/** Every folder that is not named above is an area. Areas share a layer, so they do not import each other. */
function getLayer(file: string): number {
  const folder = getFolder(file);
  const layer = lowerLayers.findIndex((folders) => folders.includes(folder));
  if (layer >= 0) return layer;
  return topLayers.includes(folder) ? areaLayer + 1 : areaLayer;
}

function findCycles(graph: ImportGraph): string[] {
  const finished = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] => {
    if (path.includes(file)) return [`cycle of imports: ${[...path.slice(path.indexOf(file)), file].join(" → ")}`];
    if (finished.has(file)) return [];
    path.push(file);
    const cycles = (graph.get(file) ?? []).flatMap(visit);
    path.pop();
    finished.add(file);
    return cycles;
  };
  return [...graph.keys()].flatMap(visit);
}
