import { createApi, type Api } from "#http/api/app.ts";
import type { ApiParts } from "#http/api/context.ts";

export interface ApiRoute {
  method: string;
  /** With its parameters: `/api/studios/:studioId`. */
  path: string;
}

/** Every route of the JSON API, read from the app itself: one that is added is tested without anybody thinking of it. */
export function apiRoutes(api: Api = createApi({} as ApiParts)): ApiRoute[] {
  const known = new Map<string, ApiRoute>();
  for (const { method, path } of api.routes) {
    if (method !== "ALL") known.set(`${method} ${path}`, { method, path });
  }
  return [...known.values()];
}

export const isWrite = ({ method }: ApiRoute): boolean => method !== "GET";

/** The path with its parameters filled in; one without a value stays as it is. */
export function fill(path: string, params: Record<string, string>): string {
  return path.replace(/:(\w+)/g, (parameter, name: string) => encodeURIComponent(params[name] ?? parameter));
}
