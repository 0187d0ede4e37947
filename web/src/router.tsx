import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { goToSignIn } from "./api/client.ts";
import { meQuery, studioQuery, type Me } from "./api/queries.ts";
import { Frame } from "./frame/Frame.tsx";
import { Broken, NothingHere } from "./frame/Broken.tsx";
import { Shell } from "./frame/Shell.tsx";
import { readActivitySearch, readAssetSearch, readPostSearch } from "./search.ts";
import { keepFocus } from "./ui/keep-focus.ts";
import { Waiting } from "./ui/Waiting.tsx";

interface Context {
  queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Frame, notFoundComponent: NothingHere });

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: async ({ context }) => {
    const me = await context.queries.query(meQuery);
    if (me?.activeStudioId) goToStudio(me.activeStudioId);
  },
  component: lazyRouteComponent(() => import("./start/StartPage.tsx"), "StartPage"),
});

const newStudio = createRoute({
  getParentRoute: () => root,
  path: "/studios/new",
  beforeLoad: ({ context }) => signedIn(context),
  component: lazyRouteComponent(() => import("./start/NewStudioPage.tsx"), "NewStudioPage"),
});

/** URLs that pages link to without knowing a studio: consent to AI clients, a failed connection to Platforms. */
const shortcuts = (["clients", "connect", "platforms"] as const).map((page) =>
  createRoute({
    getParentRoute: () => root,
    path: `/${page}`,
    beforeLoad: async ({ context }) => {
      const { activeStudioId } = await signedIn(context);
      if (activeStudioId === null) redirect({ to: "/", throw: true });
      else redirect({ to: `/studios/$studioId/${page}`, params: { studioId: activeStudioId }, throw: true });
    },
  }),
);

const studio = createRoute({
  getParentRoute: () => root,
  path: "/studios/$studioId",
  beforeLoad: ({ context }) => signedIn(context),
  loader: async ({ context, params }) => {
    await context.queries.query({ ...studioQuery(params.studioId), staleTime: "static" });
  },
  component: Shell,
});

const studioIndex = createRoute({
  getParentRoute: () => studio,
  path: "/",
  beforeLoad: ({ params }) => goToStudio(params.studioId),
});

const posts = createRoute({
  getParentRoute: () => studio,
  path: "/posts",
  validateSearch: readPostSearch,
  component: lazyRouteComponent(() => import("./posts/PostsPage.tsx"), "PostsPage"),
});

const newPost = createRoute({
  getParentRoute: () => studio,
  path: "/posts/new",
  component: lazyRouteComponent(() => import("./posts/NewPostPage.tsx"), "NewPostPage"),
});

const post = createRoute({
  getParentRoute: () => studio,
  path: "/posts/$postId",
  component: lazyRouteComponent(() => import("./posts/PostPage.tsx"), "PostPage"),
});

const assets = createRoute({
  getParentRoute: () => studio,
  path: "/assets",
  validateSearch: readAssetSearch,
  component: lazyRouteComponent(() => import("./assets/AssetsPage.tsx"), "AssetsPage"),
});

const members = createRoute({
  getParentRoute: () => studio,
  path: "/members",
  component: lazyRouteComponent(() => import("./members/MembersPage.tsx"), "MembersPage"),
});

const platforms = createRoute({
  getParentRoute: () => studio,
  path: "/platforms",
  component: lazyRouteComponent(() => import("./platforms/PlatformsPage.tsx"), "PlatformsPage"),
});

const clients = createRoute({
  getParentRoute: () => studio,
  path: "/clients",
  component: lazyRouteComponent(() => import("./clients/ClientsPage.tsx"), "ClientsPage"),
});

const connect = createRoute({
  getParentRoute: () => studio,
  path: "/connect",
  component: lazyRouteComponent(() => import("./connect/ConnectPage.tsx"), "ConnectPage"),
});

const activity = createRoute({
  getParentRoute: () => studio,
  path: "/activity",
  validateSearch: readActivitySearch,
  component: lazyRouteComponent(() => import("./activity/ActivityPage.tsx"), "ActivityPage"),
});

const settings = createRoute({
  getParentRoute: () => studio,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings/SettingsPage.tsx"), "SettingsPage"),
});

const tree = root.addChildren([
  start,
  newStudio,
  ...shortcuts,
  studio.addChildren([
    studioIndex,
    posts,
    newPost,
    post,
    assets,
    members,
    platforms,
    clients,
    connect,
    activity,
    settings,
  ]),
]);

export function createAppRouter(queries: QueryClient) {
  const router = createRouter({
    routeTree: tree,
    context: { queries },
    defaultPreload: "intent",
    defaultErrorComponent: Broken,
    defaultPendingComponent: Waiting,
    defaultNotFoundComponent: NothingHere,
    scrollRestoration: true,
  });
  // The first page of all leaves the focus where the browser has it, before the skip link.
  router.subscribe("onRendered", ({ fromLocation }) => fromLocation && keepFocus());
  return router;
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}

async function signedIn({ queries }: Context): Promise<Me> {
  return (await queries.query(meQuery)) ?? goToSignIn();
}

function goToStudio(studioId: string): void {
  redirect({ to: "/studios/$studioId/posts", params: { studioId }, throw: true });
}
