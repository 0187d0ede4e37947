import { useState } from "react";
import { TagField } from "../tags/TagField.tsx";
import { Checkbox } from "../ui/Checkbox.tsx";
import { CopyField } from "../ui/CopyField.tsx";
import { ChoiceField, SelectField, TextAreaField, TextField } from "../ui/Field.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import { Sample, SampleGroup } from "./Sample.tsx";

export function FormSamples() {
  const [tags, setTags] = useState<readonly string[]>(["launch", "spring"]);
  const [checkedState, setCheckedState] = useState<boolean | "mixed">("mixed");
  return (
    <SampleGroup title="Forms">
      <Sample name="Field">
        <div className="grid w-full max-w-xl">
          <TextField label="TextField" hint="Shown to members of this studio." defaultValue="Blue Door Studio" />
          <TextAreaField label="TextAreaField" rows={3} placeholder="Write something" />
          <SelectField
            label="SelectField"
            defaultValue="draft"
            options={[
              ["draft", "Draft"],
              ["ready", "Ready"],
            ]}
          />
          <TextField label="Disabled" defaultValue="Can’t be changed" disabled />
        </div>
      </Sample>
      <Sample name="ChoiceField">
        <div className="grid gap-3">
          <ChoiceField type="checkbox" label="Checkbox" description="With a description below it" defaultChecked />
          <ChoiceField type="radio" name="sample" label="One choice" defaultChecked />
          <ChoiceField type="radio" name="sample" label="Another choice" />
        </div>
      </Sample>
      <Sample name="Checkbox">
        <Checkbox checked={checkedState} label="All posts" onChange={setCheckedState} />
        <Checkbox checked label="Checked" onChange={() => {}} />
        <Checkbox checked={false} label="Hidden label" isLabelHidden onChange={() => {}} />
        <Checkbox checked={false} label="Disabled" disabled onChange={() => {}} />
        <Checkbox checked label="Checked, disabled" disabled onChange={() => {}} />
      </Sample>
      <Sample name="SearchField">
        <SearchField label="Search samples" query="" onSearch={() => {}} />
      </Sample>
      <Sample name="TagField">
        <div className="w-full max-w-xl">
          <TagField tags={tags} isReadOnly={false} onChange={setTags} />
        </div>
      </Sample>
      <Sample name="CopyField">
        <div className="w-full max-w-xl">
          <CopyField label="MCP URL" text="https://studio.example.com/mcp" />
        </div>
      </Sample>
    </SampleGroup>
  );
}
