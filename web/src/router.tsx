import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { redirectToSignIn } from "./api/client.ts";
import { meQuery, studioQuery, type Me } from "./api/queries.ts";
import { RootLayout } from "./layout/RootLayout.tsx";
import { ErrorPage, NotFoundPage } from "./layout/ErrorPage.tsx";
import { StudioLayout } from "./layout/StudioLayout.tsx";
import { parseActivitySearch, parseAssetSearch, parsePostSearch, parsePublicationSearch } from "./search-params.ts";
import { restoreFocus } from "./ui/restore-focus.ts";
import { Loading } from "./ui/Loading.tsx";

interface RouterContext {
  queryClient: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({ component: RootLayout, notFoundComponent: NotFoundPage });

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: async ({ context }) => {
    const me = await context.queryClient.query(meQuery);
    if (me?.activeStudioId) redirectToStudio(me.activeStudioId);
  },
  component: lazyRouteComponent(() => import("./start/StartPage.tsx"), "StartPage"),
});

const newStudio = createRoute({
  getParentRoute: () => root,
  path: "/studios/new",
  beforeLoad: ({ context }) => requireSignedIn(context),
  component: lazyRouteComponent(() => import("./start/NewStudioPage.tsx"), "NewStudioPage"),
});

/** URLs that pages link to without knowing a studio: consent to AI clients, a failed connection to Platforms. */
const shortcuts = (["clients", "connect", "platforms"] as const).map((page) =>
  createRoute({
    getParentRoute: () => root,
    path: `/${page}`,
    beforeLoad: async ({ context }) => {
      const { activeStudioId } = await requireSignedIn(context);
      if (activeStudioId === null) redirect({ to: "/", throw: true });
      else redirect({ to: `/studios/$studioId/${page}`, params: { studioId: activeStudioId }, throw: true });
    },
  }),
);

const studio = createRoute({
  getParentRoute: () => root,
  path: "/studios/$studioId",
  beforeLoad: ({ context }) => requireSignedIn(context),
  loader: async ({ context, params }) => {
    await context.queryClient.query({ ...studioQuery(params.studioId), staleTime: "static" });
  },
  component: StudioLayout,
});

const studioIndex = createRoute({
  getParentRoute: () => studio,
  path: "/",
  beforeLoad: ({ params }) => redirectToStudio(params.studioId),
});

const posts = createRoute({
  getParentRoute: () => studio,
  path: "/posts",
  validateSearch: parsePostSearch,
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

const publications = createRoute({
  getParentRoute: () => studio,
  path: "/publications",
  validateSearch: parsePublicationSearch,
  component: lazyRouteComponent(() => import("./publishing/PublicationsPage.tsx"), "PublicationsPage"),
});

const approvals = createRoute({
  getParentRoute: () => studio,
  path: "/publications/approvals",
  component: lazyRouteComponent(() => import("./publishing/ApprovalsPage.tsx"), "ApprovalsPage"),
});

const publication = createRoute({
  getParentRoute: () => studio,
  path: "/publications/$publicationId",
  component: lazyRouteComponent(() => import("./publishing/PublicationPage.tsx"), "PublicationPage"),
});

const assets = createRoute({
  getParentRoute: () => studio,
  path: "/assets",
  validateSearch: parseAssetSearch,
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

const undo = createRoute({
  getParentRoute: () => studio,
  path: "/clients/$grantId/undo",
  component: lazyRouteComponent(() => import("./undo/UndoPage.tsx"), "UndoPage"),
});

const connect = createRoute({
  getParentRoute: () => studio,
  path: "/connect",
  component: lazyRouteComponent(() => import("./connect/ConnectPage.tsx"), "ConnectPage"),
});

const activity = createRoute({
  getParentRoute: () => studio,
  path: "/activity",
  validateSearch: parseActivitySearch,
  component: lazyRouteComponent(() => import("./activity/ActivityPage.tsx"), "ActivityPage"),
});

const trash = createRoute({
  getParentRoute: () => studio,
  path: "/trash",
  component: lazyRouteComponent(() => import("./trash/TrashPage.tsx"), "TrashPage"),
});

const settings = createRoute({
  getParentRoute: () => studio,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings/SettingsPage.tsx"), "SettingsPage"),
});

const routeTree = root.addChildren([
  start,
  newStudio,
  ...shortcuts,
  studio.addChildren([
    studioIndex,
    posts,
    newPost,
    post,
    publications,
    approvals,
    publication,
    assets,
    members,
    platforms,
    clients,
    undo,
    connect,
    activity,
    trash,
    settings,
  ]),
]);

export function createAppRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: "intent",
    defaultErrorComponent: ErrorPage,
    defaultPendingComponent: Loading,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  });
  // On the first page, focus stays where the browser puts it: before the skip link.
  router.subscribe("onRendered", ({ fromLocation }) => fromLocation && restoreFocus());
  return router;
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}

async function requireSignedIn({ queryClient }: RouterContext): Promise<Me> {
  return (await queryClient.query(meQuery)) ?? redirectToSignIn();
}

function redirectToStudio(studioId: string): void {
  redirect({ to: "/studios/$studioId/posts", params: { studioId }, throw: true });
}
