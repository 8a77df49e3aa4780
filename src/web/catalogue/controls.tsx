import type { ComponentProps, ReactNode } from 'react';
import { Button, ButtonLink, type ButtonVariant, IconButton } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Dropzone } from '#web/ui/dropzone.tsx';
import { Field, type FieldProps, Select } from '#web/ui/field.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { EmailField, PasswordField, SubmitRow, TextInput } from '#web/ui/form-fields.tsx';
import { Link } from '#web/ui/link.tsx';
import { Menu, MenuChoice } from '#web/ui/menu.tsx';
import { OptionCard } from '#web/ui/option-card.tsx';
import { Download, EllipsisVertical, Mic, Send, Trash2 } from '#web/ui/screen-icons.ts';
import { Part, Row, Specimen } from './specimen.tsx';
import { samples } from './texts.ts';

const VARIANTS: readonly ButtonVariant[] = ['primary', 'secondary', 'quiet', 'danger'];
const nothing = (): void => undefined;

export function Actions(): ReactNode {
  return (
    <>
      <Part id="button" title="Button" lead="One primary action a screen; busy keeps the focus and ignores clicks.">
        {VARIANTS.map((variant) => (
          <Specimen key={variant} name={`${variant} · busy · disabled`}>
            <Row>
              <Button variant={variant} icon={variant === 'danger' ? Trash2 : Send}>
                {variant === 'danger' ? samples.remove : samples.send}
              </Button>
              <Button variant={variant} busy busyLabel={samples.sending} />
              <Button variant={variant} disabled>
                {samples.later}
              </Button>
            </Row>
          </Specimen>
        ))}
        <Specimen name="wide">
          <Button wide>{samples.send}</Button>
        </Specimen>
        <Specimen name="CopyButton · compact · with nothing to copy">
          <Row>
            <CopyButton text={samples.emailValue} label={samples.copy} failed={samples.copyFailed} />
            <CopyButton text={samples.emailValue} label={samples.copy} failed={samples.copyFailed} compact />
            <CopyButton text="" label={samples.copy} failed={samples.copyFailed} />
          </Row>
        </Specimen>
        <Specimen name="ButtonLink · IconButton · disabled">
          <Row>
            <ButtonLink href="#button">{samples.skip}</ButtonLink>
            <IconButton label={samples.download} icon={Download} />
            <IconButton label={samples.download} icon={Download} disabled />
          </Row>
        </Specimen>
      </Part>
      <Part id="link" title="Link and menu" lead="A menu holds choices that would crowd the screen.">
        <Specimen name="Link">
          <Link href="#link">{samples.imprint}</Link>
        </Specimen>
        <Specimen name="Menu, one choice holds now">
          <Menu label={samples.more} trigger={<IconButton label={samples.more} icon={EllipsisVertical} />}>
            {samples.states.map((state, index) => (
              <MenuChoice key={state} current={index === 1} onChoose={nothing}>
                {state}
              </MenuChoice>
            ))}
          </Menu>
        </Specimen>
      </Part>
      <Part id="option-card" title="Option card" lead="A way to begin; the whole card is the link.">
        <Specimen name="with duration">
          <OptionCard href="#option-card" icon={Mic} {...samples.option} />
        </Specimen>
        <Specimen name="without">
          <OptionCard href="#option-card" icon={Mic} title={samples.option.title} line={samples.option.line} />
        </Specimen>
      </Part>
    </>
  );
}

const { name: label, nameValue, email, emailValue, emailHint: hint } = samples;
const aside = <span className="text-sm text-muted">{samples.optional}</span>;

type FieldSpecimen = Omit<FieldProps, 'children'> & Readonly<{ input?: ComponentProps<typeof TextInput> }>;

const FIELDS: Readonly<Record<string, FieldSpecimen>> = {
  'empty, required': { label, required: true },
  error: { label, required: true, error: samples.nameError },
  'filled, hint, aside': { label: email, hint, aside, input: { type: 'email', defaultValue: emailValue } },
  placeholder: { label: email, input: { placeholder: emailValue } },
  disabled: { label, input: { defaultValue: nameValue, disabled: true } },
  'read-only': { label, input: { defaultValue: nameValue, readOnly: true } },
};

export function Forms(): ReactNode {
  return (
    <>
      <Part id="field" title="Field" lead="Label, control, hint and error, wired for screen readers.">
        {Object.entries(FIELDS).map(([name, { input, ...field }]) => (
          <Specimen key={name} name={name}>
            <Field {...field}>
              <TextInput {...input} />
            </Field>
          </Specimen>
        ))}
        <Specimen name="EmailField">
          <EmailField label={email} hint={hint} defaultValue={emailValue} />
        </Specimen>
        <Specimen name="PasswordField">
          <PasswordField label={samples.password} defaultValue="geheim" autoComplete="off" />
        </Specimen>
        <Specimen name="SubmitRow">
          <SubmitRow label={samples.send} busy={false} busyLabel={samples.sending} onCancel={nothing} />
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
