import { createApi, type Api } from "#http/api/api.ts";
import type { ApiOptions } from "#http/api/context.ts";

export interface ApiRoute {
  method: string;
  /** With its parameters: `/api/studios/:studioId`. */
  path: string;
}

/** Every route of the JSON API, read from the app itself: one that is added is tested without anybody thinking of it. */
export function listApiRoutes(api: Api = createApi({} as ApiOptions)): ApiRoute[] {
  const routes = new Map<string, ApiRoute>();
  for (const { method, path } of api.routes) {
    if (method !== "ALL") routes.set(`${method} ${path}`, { method, path });
  }
  return [...routes.values()];
}

export const isWrite = ({ method }: ApiRoute): boolean => method !== "GET";

/** The path with its parameters filled in; one without a value stays as it is. */
export function fillPath(path: string, params: Record<string, string>): string {
  return path.replace(/:(\w+)/g, (parameter, name: string) => encodeURIComponent(params[name] ?? parameter));
}
