import type { Provider } from "oidc-provider";

/**
 * The library makes its addresses and the `Secure` of its cookies from the request's own idea of where it went.
 * Here they come from settings, whatever Host or forwarded headers say.
 */
export function pinUrls(provider: Provider, base: string): void {
  const { protocol, host } = new URL(base);
  Object.defineProperties(provider.request, {
    protocol: { get: () => protocol.slice(0, -1) },
    host: { get: () => host },
    href: {
      get(this: { originalUrl: string }) {
        return `${base}${this.originalUrl.startsWith("/") ? this.originalUrl : "/"}`;
      },
    },
  });
}
