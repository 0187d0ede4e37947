import { createApi, type Api } from "#http/api/api.ts";
import type { ApiOptions } from "#http/api/context.ts";

export interface ApiRoute {
  method: string;
  /** With parameters: `/api/studios/:studioId`. */
  path: string;
}

/** Lists every route of the JSON API. Reads them from the app, so that tests also cover new routes. */
export function listApiRoutes(api: Api = createApi({} as ApiOptions)): ApiRoute[] {
  const routes = new Map<string, ApiRoute>();
  for (const { method, path } of api.routes) {
    if (method !== "ALL") routes.set(`${method} ${path}`, { method, path });
  }
  return [...routes.values()];
}

export const isWrite = ({ method }: ApiRoute): boolean => method !== "GET";

/** Fills in path parameters; a parameter without a value stays in the path. */
export function fillPath(path: string, params: Record<string, string>): string {
  return path.replace(/:(\w+)/g, (parameter, name: string) => {
    const value = params[name];
    return value === undefined ? parameter : encodeURIComponent(value);
  });
}
