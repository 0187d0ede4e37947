import { Brand } from "../layout/Brand.tsx";
import { setTheme, themes, useTheme } from "../layout/theme.ts";
import { PageHeader } from "../ui/PageHeader.tsx";
import { SegmentedControl } from "../ui/SegmentedControl.tsx";
import { ActionSamples } from "./ActionSamples.tsx";
import { ContentSamples } from "./ContentSamples.tsx";
import { FormSamples } from "./FormSamples.tsx";
import { OverlaySamples } from "./OverlaySamples.tsx";
import { TokenSamples } from "./TokenSamples.tsx";

/** Every token and component of the design system on one page. docs/design.md explains them. */
export function UiPage() {
  const theme = useTheme();
  return (
    <main id="main" tabIndex={-1} className="mx-auto max-w-[76rem] px-4 pt-6 pb-24 outline-none md:px-8">
      <div className="mb-8">
        <Brand />
      </div>
      <PageHeader
        title="Design system"
        actions={
          <SegmentedControl
            label="Theme"
            value={theme}
            options={themes.map(({ theme: value, label, icon }) => ({ value, label, icon }))}
            onChange={setTheme}
          />
        }
      >
        Every token and component, in every variant. This page exists only in development.
      </PageHeader>
      <TokenSamples />
      <ActionSamples />
      <FormSamples />
      <ContentSamples />
      <OverlaySamples />
    </main>
  );
}
