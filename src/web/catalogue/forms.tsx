import type { ReactNode } from 'react';
import { Dropzone } from '#web/ui/dropzone.tsx';
import { Field } from '#web/ui/field.tsx';
import { EmailField, PasswordField, SubmitRow } from '#web/ui/form-fields.tsx';
import { Select } from '#web/ui/select.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { Part, Specimen } from './specimen.tsx';
import { samples } from './texts.ts';

const nothing = (): void => undefined;

export function Forms(): ReactNode {
  return (
    <>
      <Part
        id="field"
        title="Field"
        lead="Label, control, hint and error, wired for screen readers. Errors stand under the control they are about."
      >
        <Specimen name="empty, required">
          <Field label={samples.name} required>
            <TextInput />
          </Field>
        </Specimen>
        <Specimen name="error">
          <Field label={samples.name} required error={samples.nameError}>
            <TextInput />
          </Field>
        </Specimen>
        <Specimen name="filled, hint, aside">
          <Field
            label={samples.email}
            hint={samples.emailHint}
            aside={<span className="text-sm text-muted">{samples.optional}</span>}
          >
            <TextInput type="email" defaultValue={samples.emailValue} />
          </Field>
        </Specimen>
        <Specimen name="placeholder">
          <Field label={samples.email}>
            <TextInput placeholder={samples.emailValue} />
          </Field>
        </Specimen>
        <Specimen name="disabled">
          <Field label={samples.name}>
            <TextInput defaultValue={samples.nameValue} disabled />
          </Field>
        </Specimen>
        <Specimen name="read-only">
          <Field label={samples.name}>
            <TextInput defaultValue={samples.nameValue} readOnly />
          </Field>
        </Specimen>
        <Specimen name="EmailField">
          <EmailField label={samples.email} hint={samples.emailHint} defaultValue={samples.emailValue} />
        </Specimen>
        <Specimen name="PasswordField">
          <PasswordField label={samples.password} defaultValue="geheim" autoComplete="off" />
        </Specimen>
        <Specimen name="SubmitRow">
          <SubmitRow label={samples.send} busy={false} busyLabel={samples.sending} onCancel={() => undefined} />
        </Specimen>
        <Specimen name="Select">
          <Field label={samples.area}>
            <Select>
              {samples.areas.map((area) => (
                <option key={area}>{area}</option>
              ))}
            </Select>
          </Field>
        </Specimen>
        <Specimen name="TextArea" wide>
          <Field label={samples.transcript}>
            <TextArea defaultValue={samples.transcriptValue} />
          </Field>
        </Specimen>
      </Part>
      <Part id="dropzone" title="Dropzone" lead="Files by choosing, dragging, pasting, keyboard or camera (on phones).">
        <Specimen name="ready">
          <Dropzone accept="image/*" hint={samples.dropHint} onFiles={nothing} />
        </Specimen>
        <Specimen name="disabled">
          <Dropzone accept="image/*" hint={samples.dropHint} onFiles={nothing} multiple={false} disabled />
        </Specimen>
      </Part>
    </>
  );
}
