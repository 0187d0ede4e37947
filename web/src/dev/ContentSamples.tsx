import { Images, Plus } from "lucide-react";
import { PostStateBadge } from "../posts/PostStateBadge.tsx";
import { postStatuses } from "../search-params.ts";
import { Avatar } from "../ui/Avatar.tsx";
import { Badge } from "../ui/Badge.tsx";
import { Button } from "../ui/Button.tsx";
import { Disclosure } from "../ui/Disclosure.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { List, ListRow, RowActions } from "../ui/List.tsx";
import { Loading } from "../ui/Loading.tsx";
import { Notice } from "../ui/Notice.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { Section } from "../ui/Section.tsx";
import { ItemTags, tagClasses } from "../ui/Tags.tsx";
import { Thumbnail } from "../ui/Thumbnail.tsx";
import { Sample, SampleGroup } from "./Sample.tsx";

const tones = ["neutral", "accent", "success", "warning", "danger", "info"] as const;
const sampleAssets = [
  { kind: "image", filename: "harbour.jpg", thumbnailUrl: "/icon.svg", altText: "The letter A" },
  { kind: "video", filename: "harbour.mp4", thumbnailUrl: "/icon.svg" },
  { kind: "image", filename: "no-thumbnail.jpg" },
  { kind: "video", filename: "no-thumbnail.mp4" },
  { kind: "document", filename: "brief.pdf" },
];

export function ContentSamples() {
  return (
    <SampleGroup title="Content">
      <Sample name="PostStateBadge, Badge">
        {postStatuses.map((status) => (
          <PostStateBadge key={status} post={{ status, publications: [], wasSentBack: false }} />
        ))}
        <PostStateBadge post={{ status: "draft", publications: [], wasSentBack: true }} />
        {tones.map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
      </Sample>
      <Sample name="Avatar">
        <Avatar name="Ada Lovelace" />
        <Avatar name="Grace" size="small" />
        <Avatar name="Ada Lovelace" client={{ name: "Claude" }} />
        <Avatar name="Ada Lovelace" client={{ name: "Claude" }} size="small" />
      </Sample>
      <Sample name="Thumbnail">
        {sampleAssets.map((asset) => (
          <Thumbnail key={asset.filename} asset={asset} />
        ))}
        <Thumbnail asset={{ kind: "image", filename: "small.jpg" }} size="small" />
        <div className="w-32">
          <Thumbnail asset={{ kind: "document", filename: "large.pdf" }} size="large" />
        </div>
      </Sample>
      <Sample name="Disclosure">
        <Disclosure summary="3 notes">Closed until the user opens it.</Disclosure>
        <Disclosure isOpen summary="What changed">
          Open from the start.
        </Disclosure>
      </Sample>
      <Sample name="List">
        <List className="w-full" aria-label="Sample list">
          {["Spring catalogue", "Opening night"].map((title) => (
            <ListRow key={title}>
              <div>
                <p className="m-0 font-medium">{title}</p>
                <ItemTags tags={["launch"]}>
                  {(tag) => (
                    <button key={tag} type="button" className={tagClasses}>
                      {tag}
                    </button>
                  )}
                </ItemTags>
              </div>
              <RowActions>
                <span className="text-sm text-muted">
                  <RelativeTime at="2026-11-01T08:00:00Z" />
                </span>
                <Button variant="quiet" size="small">
                  Restore
                </Button>
              </RowActions>
            </ListRow>
          ))}
        </List>
      </Sample>
      <Sample name="Notice">
        <div className="w-full">
          <Notice action={<Button variant="secondary">Switch</Button>}>AI clients work in another studio.</Notice>
          <Notice tone="success">Everything is published.</Notice>
          <Notice tone="warning">vase.jpg has no alt text.</Notice>
          <Notice tone="danger">The connection to Mastodon has expired.</Notice>
        </div>
      </Sample>
      <Sample name="ErrorMessage, Loading">
        <ErrorMessage error={new Error("sample")} onRetry={() => {}} />
        <Loading />
      </Sample>
      <Sample name="EmptyState">
        <EmptyState title="No files yet" icon={Images} actions={<Button icon={Plus}>Upload files</Button>}>
          Upload images, videos and documents, then attach them to posts.
        </EmptyState>
      </Sample>
      <Sample name="Section">
        <div className="w-full">
          <Section title="Details">The heading is beside the content, or above it on a phone.</Section>
        </div>
      </Sample>
    </SampleGroup>
  );
}
