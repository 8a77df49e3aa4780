import { Pencil } from '#web/ui/screen-icons.ts';
import { useState, type ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Card, SectionCard } from '#web/ui/card.tsx';
import { ConfirmDialog, Dialog } from '#web/ui/dialog.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorScreen, LoadingScreen } from '#web/ui/state-screens.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { Part, Row, Specimen } from './specimen.tsx';
import { samples } from './texts.ts';

const nothing = (): void => undefined;

export function Surfaces(): ReactNode {
  return (
    <>
      <Part id="card" title="Card and tabs" lead="One surface for what belongs together; tabs are for small screens.">
        <Specimen name="Card">
          <Card>{samples.cardText}</Card>
        </Specimen>
        <Specimen name="SectionCard with an action">
          <SectionCard
            title={samples.cardTitle}
            action={
              <Button variant="secondary" icon={Pencil}>
                {samples.later}
              </Button>
            }
          >
            {samples.cardText}
          </SectionCard>
        </Specimen>
        <Specimen name="Tabs" wide>
          <Tabs
            label={samples.cardTitle}
            tabs={samples.tabs.map((name) => ({ id: name, name, content: <Card>{samples.cardText}</Card> }))}
          />
        </Specimen>
      </Part>
      <Part id="dialog" title="Dialog" lead="A sheet on phones, a panel elsewhere; a confirmation asks first.">
        <Specimen name="Dialog · ConfirmDialog: press to open" wide>
          <Row>
            <DialogSpecimen kind="dialog" />
            <DialogSpecimen kind="confirm" />
          </Row>
        </Specimen>
      </Part>
      <Part id="screens" title="Screens" lead="Loading, empty and broken have words and a way on.">
        <Specimen name="EmptyState" wide>
          <EmptyState
            drawing="inbox"
            title={samples.empty.title}
            action={<Button variant="secondary">{samples.error.action}</Button>}
          >
            {samples.empty.text}
          </EmptyState>
        </Specimen>
        <Specimen name="LoadingScreen">
          <LoadingScreen text={samples.loading} />
        </Specimen>
        <Specimen name="ErrorScreen">
          <ErrorScreen title={samples.error.title} action={<Button>{samples.error.action}</Button>}>
            {samples.error.text}
          </ErrorScreen>
        </Specimen>
        <Specimen name="ScreenTitle" wide>
          <ScreenTitle tabTitle="UI catalogue">{samples.flow.title}</ScreenTitle>
        </Specimen>
        <Specimen name="FlowScreen" wide>
          <FlowScreen
            step={{ current: 2, total: 3, name: samples.flow.step }}
            title={samples.flow.title}
            lead={samples.flow.lead}
            summary={samples.flow.summary}
            onBack={nothing}
            secondary={<Button variant="quiet">{samples.skip}</Button>}
            primary={<Button>{samples.send}</Button>}
          >
            <Card>{samples.cardText}</Card>
          </FlowScreen>
        </Specimen>
      </Part>
    </>
  );
}

function DialogSpecimen({ kind }: Readonly<{ kind: 'dialog' | 'confirm' }>): ReactNode {
  const [open, setOpen] = useState(false);
  const { title, description, confirm, open: label } = samples[kind];
  const close = (): void => setOpen(false);
  const words = { open, title, description };
  return (
    <>
      <Button variant={kind === 'dialog' ? 'secondary' : 'danger'} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {kind === 'dialog' ? (
        <Dialog {...words} onOpenChange={setOpen} actions={<Button onClick={close}>{confirm}</Button>} />
      ) : (
        <ConfirmDialog {...words} confirmLabel={confirm} tone="danger" onConfirm={close} onCancel={close} />
      )}
    </>
  );
}
